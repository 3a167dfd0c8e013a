"""Games for OpenSpiel: ``load`` gives a ``pyspiel.Game`` on which OpenSpiel's algorithms run unchanged.

Needs the package ``open_spiel``.

The role ``random`` is OpenSpiel's chance player; where it chooses together with others, chance moves first. Goals from 0 to 100 are
utilities from -1 to 1, and constant-sum games of two players are zero-sum so. Everything is visible to everybody, as GDL has it, except in
games with rules for ``sees`` (GDL-II): there a player knows its own moves and what it perceived. Where several players choose at once,
nobody sees the others' choice before it is made.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import re
from typing import Any

import numpy as np
import pyspiel

from . import Game, State
from . import load as _load

_count = itertools.count()


class GdlState(pyspiel.State):  # type: ignore[misc]
    """A state of a game, as OpenSpiel's Python games have them."""

    def __init__(self, game: GdlGame) -> None:
        super().__init__(game)
        self.inner: State = game.game.new_initial_state()
        self._players: list[int] = game.players
        self._chance: int | None = game.chance
        # What chance chose where it chooses together with others.
        self._drawn: int | None = None

    def current_player(self) -> int:
        inner = self.inner
        if inner.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        if self._chance_moves():
            return int(pyspiel.PlayerId.CHANCE)
        choosing = [player for player, role in enumerate(self._players) if len(inner.legal_actions(role)) > 1]
        if len(choosing) > 1:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        if choosing:
            return choosing[0]
        turn = inner.current_player()
        return self._players.index(turn) if turn in self._players else 0

    def _chance_moves(self) -> bool:
        if self._chance is None or self._drawn is not None:
            return False
        return len(self.inner.legal_actions(self._chance)) > 1

    def _legal_actions(self, player: int) -> list[int]:
        if self.inner.is_terminal():
            return []
        return self.inner.legal_actions(self._players[player])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        assert self._chance is not None
        legal = self.inner.legal_actions(self._chance)
        return [(action, 1.0 / len(legal)) for action in legal]

    def _apply_action(self, action: int) -> None:
        player = self.current_player()
        if player == pyspiel.PlayerId.CHANCE:
            self._drawn = action
            # Where nobody else chooses, the joint move is complete.
            roles = range(self.inner.num_players())
            if all(role == self._chance or len(self.inner.legal_actions(role)) == 1 for role in roles):
                self._make({})
        else:
            self._make({self._players[player]: action})

    def _apply_actions(self, actions: list[int]) -> None:
        self._make(dict(zip(self._players, actions, strict=True)))

    def _make(self, chosen: dict[int, int]) -> None:
        joint = []
        for role in range(self.inner.num_players()):
            if role in chosen:
                joint.append(chosen[role])
            elif role == self._chance and self._drawn is not None:
                joint.append(self._drawn)
            else:
                joint.append(self.inner.legal_actions(role)[0])
        self.inner.apply_actions(joint)
        self._drawn = None

    def _action_to_string(self, player: int, action: int) -> str:
        role = self._chance if player == pyspiel.PlayerId.CHANCE else self._players[player]
        assert role is not None
        return self.inner.action_to_string(role, action)

    def is_terminal(self) -> bool:
        return self.inner.is_terminal()

    def returns(self) -> list[float]:
        if not self.inner.is_terminal():
            return [0.0] * len(self._players)
        goals = self.inner.returns()
        return [goals[role] / 50.0 - 1.0 for role in self._players]

    def rewards(self) -> list[float]:
        return self.returns()

    def __str__(self) -> str:
        text = " ".join(self.inner.fluents)
        return text if self._drawn is None else f"{text} / chance {self._drawn}"


class _Observer:
    """Everybody sees every fluent, or, where information is hidden, what it did and perceived, as text."""

    def __init__(self, game: GdlGame) -> None:
        self.is_hidden = game.game.has_hidden_information
        self.players = game.players
        self.tensor = np.zeros(0 if self.is_hidden else len(game.game.fluents), np.float32)
        self.dict = {"fluents": self.tensor}

    def set_from(self, state: GdlState, player: int) -> None:
        if not self.is_hidden:
            self.tensor[:] = state.inner.observation_tensor()

    def string_from(self, state: GdlState, player: int) -> str:
        return state.inner.information_state_string(self.players[player])


class GdlGame(pyspiel.Game):  # type: ignore[misc]
    """A game in GDL as an OpenSpiel game."""

    #: The game.
    game: Game
    #: The roles of OpenSpiel's players, and that of chance.
    players: list[int]
    chance: int | None

    def __init__(
        self,
        game: Game,
        game_type: pyspiel.GameType,
        info: pyspiel.GameInfo,
        players: list[int],
        chance: int | None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(game_type, info, parameters or {})
        self.game, self.players, self.chance = game, players, chance

    def new_initial_state(self) -> GdlState:
        return GdlState(self)

    def make_py_observer(self, kind: Any = None, params: Any = None) -> _Observer:
        return _Observer(self)


def load(game: str | os.PathLike[str] | Game, *, max_game_length: int | None = None) -> GdlGame:
    """A game for OpenSpiel: the name of a game of the library, a path, a description, or a loaded game.

    ``max_game_length`` is what OpenSpiel is told; by default the longest of some thousand random playouts, doubled. Whether the game
    is sequential, has chance and is zero-sum is found by random playouts too, on the side of caution.
    """
    own = game if isinstance(game, Game) else _load(game)
    roles = own.roles
    chance = next((number for number, role in enumerate(roles) if role.lower() == "random"), None)
    players = [number for number in range(len(roles)) if number != chance]
    seen = _look_around(own, players)
    length = max_game_length if max_game_length is not None else seen["longest"] * 2
    name = "python_gdl_" + re.sub(r"[^a-z0-9]+", "_", own.name.lower()).strip("_")[-60:] + f"_{next(_count)}"
    kind = pyspiel.GameType
    utility = kind.Utility
    summed = utility.ZERO_SUM if seen["zero_sum"] else utility.GENERAL_SUM
    dynamics = kind.Dynamics.SIMULTANEOUS if seen["simultaneous"] else kind.Dynamics.SEQUENTIAL
    chance_mode = kind.ChanceMode.DETERMINISTIC if chance is None else kind.ChanceMode.EXPLICIT_STOCHASTIC
    information = (
        kind.Information.IMPERFECT_INFORMATION
        if seen["simultaneous"] or own.has_hidden_information
        else kind.Information.PERFECT_INFORMATION
    )
    game_type = kind(
        short_name=name,
        long_name=own.name,
        dynamics=dynamics,
        chance_mode=chance_mode,
        information=information,
        utility=summed,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=len(players),
        min_num_players=len(players),
        provides_information_state_string=True,
        provides_information_state_tensor=not own.has_hidden_information,
        provides_observation_string=True,
        provides_observation_tensor=not own.has_hidden_information,
        parameter_specification={},
    )
    most = max(len(moves) for moves in own.moves)
    info = pyspiel.GameInfo(
        num_distinct_actions=most,
        max_chance_outcomes=0 if chance is None else len(own.moves[chance]),
        num_players=len(players),
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0 if seen["zero_sum"] else None,
        max_game_length=max(1, length),
    )

    def make(parameters: dict[str, Any] | None = None) -> GdlGame:
        return GdlGame(own, game_type, info, players, chance, parameters)

    # OpenSpiel's registry is destroyed after the interpreter: it must not hold the last reference then.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(make))
    pyspiel.register_game(game_type, make)
    return make()


def _look_around(game: Game, players: list[int], lanes: int = 2048, most: int = 10_000) -> dict[str, Any]:
    """What random playouts show of a game."""
    env = game.vector(lanes, seed=1, auto_reset=False, max_steps=most, observations=None)
    simultaneous, zero_sum, longest = False, len(players) == 2, 1
    for step in range(1, most + 1):
        several = env.legal_mask[:, players].sum(axis=2) > 1
        simultaneous |= bool((several.sum(axis=1) > 1).any())
        env.step(env.random_actions(), check=False)
        ended = env.rewards[env.terminal & (env.steps == step)]
        zero_sum &= bool((ended[:, players].sum(axis=1) == 100).all()) if len(ended) else True
        longest = step
        if (env.terminal | env.truncated).all():
            break
    return {"simultaneous": simultaneous, "zero_sum": zero_sum, "longest": longest}
