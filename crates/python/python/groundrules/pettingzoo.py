"""Games for PettingZoo: ``env`` (AEC, one agent after the other) and ``parallel_env`` (all agents at once).

Needs the package ``pettingzoo``. An observation is a dictionary of ``observation`` (a byte for each fluent) and ``action_mask``.
Rewards are the goals, from 0 to 100, when the match ends. The role ``random`` is no agent: its moves are drawn. A match in which a
role has no legal move, or that has come to ``max_steps``, is truncated.
"""

from __future__ import annotations

import os
import warnings
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv

from . import Game, State
from . import load as _load

_Source = str | os.PathLike[str] | Game


class _Match:
    """What both kinds of environments share: a state, and moves of chance drawn."""

    def __init__(self, source: _Source, max_steps: int) -> None:
        self.game = source if isinstance(source, Game) else _load(source)
        if self.game.has_hidden_information:
            warnings.warn(f"{self.game.name} has hidden information, and observations show all of it", stacklevel=3)
        self.roles = self.game.roles
        self.chance = next((n for n, role in enumerate(self.roles) if role.lower() == "random"), None)
        self.players = [number for number in range(len(self.roles)) if number != self.chance]
        self.names = [self.roles[number] for number in self.players]
        self.role_of = dict(zip(self.names, self.players, strict=True))
        self.max_steps = max_steps
        self.fluents = len(self.game.fluents)
        self.moves = self.game.moves
        self.rng = np.random.default_rng()
        self.state: State = self.game.new_initial_state()

    def action_space(self, agent: str) -> spaces.Discrete:
        return spaces.Discrete(len(self.moves[self.role_of[agent]]))

    def observation_space(self, agent: str) -> spaces.Dict:
        moves = len(self.moves[self.role_of[agent]])
        return spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (self.fluents,), np.uint8),
                "action_mask": spaces.Box(0, 1, (moves,), np.int8),
            }
        )

    def reset(self, seed: int | None) -> None:
        if seed is not None:
            self.rng = np.random.default_rng(seed)
        self.state = self.game.new_initial_state()

    def legal(self, role: int) -> list[int]:
        return self.state.legal_actions(role)

    def observe(self, agent: str, *, acts: bool = True) -> dict[str, Any]:
        role = self.role_of[agent]
        mask = np.zeros(len(self.moves[role]), np.int8)
        if acts and not self.state.is_terminal():
            mask[self.legal(role)] = 1
        return {"observation": self.state.observation_tensor().astype(np.uint8), "action_mask": mask}

    def is_stuck(self) -> bool:
        return not self.state.is_terminal() and any(not self.legal(role) for role in range(len(self.roles)))

    def is_truncated(self) -> bool:
        late = self.state.move_number() >= self.max_steps
        return not self.state.is_terminal() and (late or self.is_stuck())

    def make(self, chosen: dict[int, int]) -> None:
        """Makes a joint move. Chance draws, and who has one move only makes it."""
        joint = []
        for role in range(len(self.roles)):
            if role in chosen:
                joint.append(int(chosen[role]))
            else:
                legal = self.legal(role)
                draw = int(self.rng.integers(len(legal))) if role == self.chance else 0
                joint.append(legal[draw])
        self.state.apply_actions(joint)

    def goals(self) -> dict[str, float]:
        goals = self.state.returns()
        return {name: goals[role] for name, role in self.role_of.items()}

    def render(self) -> str:
        return str(self.state)


class GdlAEC(AECEnv[str, dict[str, Any], int]):
    """One agent after the other. Where several choose at once, they are asked in the order of the roles, and none sees what the
    others chose."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, game: _Source, *, max_steps: int = 10_000, render_mode: str | None = None) -> None:
        super().__init__()
        self._match = _Match(game, max_steps)
        self.metadata = {**GdlAEC.metadata, "name": f"gdl_{self._match.game.name}"}
        self.render_mode = render_mode
        self.possible_agents = list(self._match.names)
        self.observation_spaces = {a: self._match.observation_space(a) for a in self.possible_agents}
        self.action_spaces = {a: self._match.action_space(a) for a in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._match.reset(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._chosen: dict[int, int] = {}
        self._judge()
        self._ask()

    def observe(self, agent: str) -> dict[str, Any]:
        asked = agent == getattr(self, "agent_selection", None)
        return self._match.observe(agent, acts=asked)

    def _choosing(self) -> list[int]:
        """The players that have something to choose, or else the one that has the turn."""
        match = self._match
        choosing = [role for role in match.players if len(match.legal(role)) > 1]
        turn = match.state.current_player()
        return choosing or [turn if turn in match.players else match.players[0]]

    def _ask(self) -> None:
        """Selects who is asked next."""
        if any(self.terminations.values()) or any(self.truncations.values()):
            self.agent_selection = self.agents[0]
            return
        left = [role for role in self._choosing() if role not in self._chosen]
        self.agent_selection = self._match.roles[left[0]]

    def _judge(self) -> None:
        """Finds whether the match is over."""
        match = self._match
        if match.state.is_terminal():
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = match.goals()
        elif match.is_truncated():
            self.truncations = dict.fromkeys(self.agents, True)

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        role = self._match.role_of[agent]
        if action is None or int(action) not in self._match.legal(role):
            raise ValueError(f"action {action} of {agent} is not legal here")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._chosen[role] = int(action)
        if all(role in self._chosen for role in self._choosing()):
            self._match.make(self._chosen)
            self._chosen = {}
            self._judge()
        self._ask()
        self._accumulate_rewards()

    def render(self) -> str | None:
        return self._match.render() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """There is nothing to close."""


class GdlParallel(ParallelEnv[str, dict[str, Any], int]):
    """All agents at once, as GDL has it."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(self, game: _Source, *, max_steps: int = 10_000, render_mode: str | None = None) -> None:
        self._match = _Match(game, max_steps)
        self.metadata = {**GdlParallel.metadata, "name": f"gdl_{self._match.game.name}"}
        self.render_mode = render_mode
        self.possible_agents = list(self._match.names)
        self.agents: list[str] = []
        self.observation_spaces = {a: self._match.observation_space(a) for a in self.possible_agents}
        self.action_spaces = {a: self._match.action_space(a) for a in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def _observations(self) -> dict[str, dict[str, Any]]:
        return {agent: self._match.observe(agent) for agent in self.agents}

    def _infos(self) -> dict[str, dict[str, Any]]:
        return {agent: {"action_mask": self._match.observe(agent)["action_mask"]} for agent in self.agents}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        self._match.reset(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos()

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        if not self.agents:
            return {}, {}, {}, {}, {}
        match = self._match
        for agent in self.agents:
            if agent not in actions:
                raise ValueError(f"there is no action of {agent}")
            if int(actions[agent]) not in match.legal(match.role_of[agent]):
                raise ValueError(f"action {actions[agent]} of {agent} is not legal here")
        match.make({match.role_of[agent]: int(action) for agent, action in actions.items()})
        terminal, truncated = match.state.is_terminal(), match.is_truncated()
        rewards = match.goals() if terminal else dict.fromkeys(self.agents, 0.0)
        observations, infos = self._observations(), self._infos()
        terminations = dict.fromkeys(self.agents, terminal)
        truncations = dict.fromkeys(self.agents, truncated)
        if terminal or truncated:
            self.agents = []
        return observations, rewards, terminations, truncations, infos

    def render(self) -> str | None:
        return self._match.render() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """There is nothing to close."""


def env(game: _Source, *, max_steps: int = 10_000, render_mode: str | None = None) -> GdlAEC:
    """An environment in which one agent acts after the other."""
    return GdlAEC(game, max_steps=max_steps, render_mode=render_mode)


def parallel_env(game: _Source, *, max_steps: int = 10_000, render_mode: str | None = None) -> GdlParallel:
    """An environment in which all agents act at once."""
    return GdlParallel(game, max_steps=max_steps, render_mode=render_mode)
