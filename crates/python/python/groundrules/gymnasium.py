"""Games for Gymnasium: one role learns, and the others play by a policy.

Needs the package ``gymnasium``. ``GdlEnv`` is one environment, ``GdlVectorEnv`` a vector of them that steps in one call. An
observation is a byte for each fluent; legal moves are in ``info["action_mask"]``. An illegal action ends the match with the reward
``illegal``, by default -1, as such environments usually do; the mask tells which are legal. Rewards are goals divided by 100.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any, Literal

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv

from . import Game
from . import load as _load
from ._search import mcts

#: Gets observations (batch, fluents), masks (batch, moves) and a random generator; returns actions (batch,).
Policy = Callable[
    [npt.NDArray[np.uint8], npt.NDArray[np.bool_], np.random.Generator], npt.NDArray[np.integer[Any]]
]


def random_policy(
    observations: npt.NDArray[np.uint8], masks: npt.NDArray[np.bool_], rng: np.random.Generator
) -> npt.NDArray[np.integer[Any]]:
    """Every legal move with the same chance."""
    return np.asarray(np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1))


class GdlVectorEnv(VectorEnv[npt.NDArray[np.uint8], npt.NDArray[np.int64], npt.NDArray[Any]]):
    """A vector of environments. A match that ends begins again in the same step; ``info["final_obs"]`` has its last
    observation."""

    def __init__(
        self,
        game: str | os.PathLike[str] | Game,
        num_envs: int = 1,
        *,
        role: int | str = 0,
        opponents: Literal["random", "mcts"] | Policy = "random",
        simulations: int = 100,
        max_steps: int = 10_000,
        illegal: float = -1.0,
        seed: int = 0,
    ) -> None:
        self.game = game if isinstance(game, Game) else _load(game)
        roles = self.game.roles
        if role not in roles and (isinstance(role, str) or not 0 <= role < len(roles)):
            raise ValueError(f"there is no role {role}: this game has {roles}")
        if not callable(opponents) and opponents not in ("random", "mcts"):
            raise ValueError(f'opponents are "random", "mcts" or a function, not {opponents!r}')
        self.role = roles.index(role) if isinstance(role, str) else role
        if self.game.has_hidden_information:
            warnings.warn(f"{self.game.name} has hidden information, and observations show all of it", stacklevel=2)
        self.num_envs = num_envs
        self.opponents = opponents
        self.simulations = simulations
        self.illegal = illegal
        # Where lanes restart by themselves, the last observation of a match would be lost.
        self._env = self.game.vector(num_envs, seed=seed, auto_reset=False, max_steps=max_steps)
        moves = [len(own) for own in self.game.moves]
        self._moves = moves
        self.single_observation_space = spaces.Box(0, 1, (len(self.game.fluents),), np.uint8)
        self.single_action_space = spaces.Discrete(moves[self.role])
        self.observation_space = spaces.Box(0, 1, (num_envs, len(self.game.fluents)), np.uint8)
        self.action_space = spaces.MultiDiscrete([moves[self.role]] * num_envs)
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}
        self._rng = np.random.default_rng(seed)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        if seed is not None:
            entropy = [0 if one is None else one for one in seed] if isinstance(seed, list) else seed
            self._rng = np.random.default_rng(entropy)
        mask = (options or {}).get("reset_mask")
        if mask is None:
            self._env.reset()
        else:
            self._env.reset(np.asarray(mask, dtype=np.bool_))
        self._wait()
        return self._env.observations.copy(), self._info()

    def _info(self) -> dict[str, Any]:
        mask = self._env.legal_mask[:, self.role, : self._moves[self.role]].copy()
        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        return {"action_mask": mask, "_action_mask": everywhere}

    def _over(self) -> npt.NDArray[np.bool_]:
        return np.asarray(self._env.terminal | self._env.truncated)

    def _others(self, actions: npt.NDArray[np.int64]) -> None:
        """Writes the actions of all other roles."""
        env, over = self._env, self._over()
        for role in range(len(self._moves)):
            if role == self.role:
                continue
            masks = env.legal_mask[:, role, : self._moves[role]]
            is_chance = self.game.roles[role].lower() == "random"
            choosing = ~over & (masks.sum(axis=1) > 1)
            actions[:, role] = masks.argmax(axis=1)
            if not choosing.any():
                continue
            observations = env.observations[choosing]
            if is_chance or self.opponents == "random":
                chosen = random_policy(observations, masks[choosing], self._rng)
            elif self.opponents == "mcts":
                chosen = self._searched(np.flatnonzero(choosing))
            else:
                chosen = self.opponents(observations, masks[choosing], self._rng)
            actions[choosing, role] = chosen

    def _searched(self, lanes: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
        found = []
        for lane in lanes:
            state = self.game.state_of(self._env.fluents_of(int(lane)))
            seed = int(self._rng.integers(2**32))
            found.append(mcts(state, simulations=self.simulations, seed=seed).action)
        return np.asarray(found, dtype=np.int64)

    def _advance(self, own: npt.NDArray[np.int64], lanes: npt.NDArray[np.bool_] | None = None) -> None:
        actions = np.zeros((self.num_envs, len(self._moves)), dtype=np.int64)
        self._others(actions)
        actions[:, self.role] = own
        self._env.step(actions, lanes=lanes)

    def _wait(self) -> npt.NDArray[np.float32]:
        """Lets the others move until this role has a choice in every match that goes on. Gives what it gained meanwhile."""
        gained = np.zeros(self.num_envs, dtype=np.float32)
        while True:
            masks = self._env.legal_mask[:, self.role, : self._moves[self.role]]
            waiting = ~self._over() & (masks.sum(axis=1) < 2)
            if not waiting.any():
                return gained
            self._advance(masks.argmax(axis=1), waiting)
            gained += np.nan_to_num(self._env.rewards[:, self.role]) / 100.0

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[
        npt.NDArray[np.uint8],
        npt.NDArray[np.float32],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        chosen = np.asarray(actions)
        if chosen.dtype.kind not in "iu":
            raise TypeError(f"actions must be integers, not {chosen.dtype}")
        chosen = chosen.astype(np.int64)
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"actions must have the shape ({self.num_envs},), not {chosen.shape}")
        env = self._env
        masks = env.legal_mask[:, self.role, : self._moves[self.role]]
        lanes = np.arange(self.num_envs)
        inside = (chosen >= 0) & (chosen < self._moves[self.role])
        legal = inside & masks[lanes, np.where(inside, chosen, 0)]
        # A lane with an illegal action makes some legal move, and its match ends.
        self._advance(np.where(legal, chosen, masks.argmax(axis=1)))
        rewards = np.nan_to_num(env.rewards[:, self.role]).astype(np.float32) / 100.0
        rewards += self._wait()
        rewards[~legal] = self.illegal
        terminal = env.terminal | ~legal
        truncated = env.truncated & ~terminal
        done = terminal | truncated
        info: dict[str, Any] = {}
        if done.any():
            final = np.full(self.num_envs, None, dtype=object)
            for lane in np.flatnonzero(done):
                final[lane] = env.observations[lane].copy()
            info["final_obs"], info["_final_obs"] = final, done.copy()
            env.reset(done)
            self._wait()
        info.update(self._info())
        return env.observations.copy(), rewards, terminal, truncated, info

    def close_extras(self, **kwargs: Any) -> None:
        """There is nothing to close."""


class GdlEnv(gymnasium.Env[npt.NDArray[np.uint8], np.int64]):
    """One environment: a role of a game against a policy."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        game: str | os.PathLike[str] | Game,
        *,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self._inner = GdlVectorEnv(game, 1, **options)
        self.observation_space = self._inner.single_observation_space
        self.action_space = self._inner.single_action_space
        self.render_mode = render_mode

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.uint8], dict[str, Any]]:
        super().reset(seed=seed)
        observations, info = self._inner.reset(seed=seed)
        return observations[0], {"action_mask": info["action_mask"][0]}

    def step(
        self, action: np.int64
    ) -> tuple[npt.NDArray[np.uint8], float, bool, bool, dict[str, Any]]:
        seen, rewards, terminal, truncated, info = self._inner.step(np.asarray([action]))
        observation = info["final_obs"][0] if terminal[0] or truncated[0] else seen[0]
        mask = {"action_mask": info["action_mask"][0]}
        return observation, float(rewards[0]), bool(terminal[0]), bool(truncated[0]), mask

    def render(self) -> str | None:
        return "\n".join(self._inner._env.fluents_of(0)) if self.render_mode == "ansi" else None
