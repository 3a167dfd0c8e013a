"""Search with a network of your own: PUCT, with leaves evaluated in batches."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ._native import State

Floats = npt.NDArray[np.floating]

#: Gets observations (batch, fluents) and the numbers of the players that have the turn (batch,); returns priors
#: (batch, actions), which need not be normalised or masked, and values (batch, players) between -1 and 1.
Evaluate = Callable[[npt.NDArray[np.float32], npt.NDArray[np.int64]], tuple[Floats, Floats]]


@dataclass
class SearchResult:
    """What a search found."""

    #: How often each action was tried (actions,).
    visits: npt.NDArray[np.int64]
    #: The mean value of each action for the player that has the turn, between -1 and 1; 0 where it was not tried.
    values: npt.NDArray[np.float64]
    #: The value of the state for the player that has the turn.
    value: float
    #: How many simulations were made.
    simulations: int
    #: The action that was tried most often.
    action: int = field(init=False)

    def __post_init__(self) -> None:
        self.action = int(self.visits.argmax())

    def policy(self, temperature: float = 1.0) -> npt.NDArray[np.float64]:
        """Probabilities by visits, sharper for lower temperatures; at 0 the most visited action alone."""
        if temperature < 0:
            raise ValueError("a temperature is not negative")
        if temperature == 0:
            policy = np.zeros(len(self.visits))
            policy[self.action] = 1.0
            return policy
        weights = (self.visits / self.visits.max()) ** (1.0 / temperature)
        return np.asarray(weights / weights.sum(), dtype=np.float64)


class _Node:
    """A state of the tree. Children are made when they are first visited."""

    __slots__ = ("actions", "children", "player", "priors", "state", "sums", "value", "visits", "waiting")

    def __init__(self, state: State) -> None:
        self.state = state
        self.player = state.current_player()
        self.actions: npt.NDArray[np.int64] | None = None
        self.priors: npt.NDArray[np.float64] = np.zeros(0)
        self.visits: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.sums: npt.NDArray[np.float64] = np.zeros(0)
        # Visits that are under way: they count as losses, so that one batch has different leaves.
        self.waiting: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.children: dict[int, _Node] = {}
        self.value: npt.NDArray[np.float64] | None = None

    def expand(self, priors: Floats) -> None:
        actions = np.asarray(self.state.legal_actions(), dtype=np.int64)
        own = np.asarray(priors, dtype=np.float64)[actions]
        own = np.where(np.isfinite(own) & (own > 0), own, 0.0)
        total = own.sum()
        self.actions = actions
        self.priors = own / total if total > 0 else np.full(len(actions), 1.0 / len(actions))
        self.visits = np.zeros(len(actions), dtype=np.int64)
        self.waiting = np.zeros(len(actions), dtype=np.int64)
        self.sums = np.zeros(len(actions))

    def best(self, c_puct: float) -> int:
        tried = self.visits + self.waiting
        values = np.divide(self.sums - self.waiting, tried, out=np.zeros_like(self.sums), where=tried > 0)
        bonus = c_puct * self.priors * math.sqrt(max(1, int(tried.sum()))) / (1 + tried)
        return int((values + bonus).argmax())


def _scaled(goals: list[float]) -> npt.NDArray[np.float64]:
    """Goals from 0 to 100 as values from -1 to 1. What is no goal counts as the least."""
    values: npt.NDArray[np.float64] = np.nan_to_num(np.asarray(goals, dtype=np.float64), nan=0.0) / 50.0 - 1.0
    return values


def _draw(rng: np.random.Generator, state: State) -> State:
    """The state after chance has moved, as often as it has the turn."""
    while not state.is_terminal() and state.is_chance_node():
        outcomes = state.chance_outcomes()
        state = state.child(outcomes[int(rng.integers(len(outcomes)))][0])
    return state


def mcts(
    state: State,
    *,
    evaluate: Evaluate | None = None,
    simulations: int | None = None,
    seconds: float | None = None,
    batch: int = 16,
    c_puct: float = 1.5,
    noise: float = 0.0,
    alpha: float = 0.3,
    seed: int | None = None,
) -> SearchResult:
    """Searches from a state by PUCT and returns how often each action was tried.

    ``evaluate`` gets the observations of up to ``batch`` leaves at once, and who has the turn in each; it returns priors and
    values. Without it leaves are evaluated by a random playout each, with equal priors. ``noise`` is the weight of Dirichlet
    noise of parameter ``alpha`` at the root. The search ends after so many ``simulations`` or ``seconds``.

    >>> import groundrules as gr
    >>> state = gr.load("tic-tac-toe").new_initial_state()
    >>> for place in ["(place 1 1)", "(place 2 1)", "(place 1 2)", "(place 3 3)"]:
    ...     state.apply_action(state.string_to_action(place))
    >>> found = gr.mcts(state, simulations=400, seed=1)
    >>> state.action_to_string(found.action)
    '(place 1 3)'
    """
    if not isinstance(state, State):
        raise TypeError(f"mcts searches from a state, not from {type(state).__name__}")
    if simulations is None and seconds is None:
        raise ValueError("say how long to search: simulations=… or seconds=…")
    if state.is_terminal():
        raise ValueError("the match is over")
    if state.current_player() < 0:
        raise ValueError("mcts searches where one player has the turn")
    if batch < 1 or (simulations is not None and simulations < 1):
        raise ValueError("batch and simulations are at least 1")
    if seconds is not None and not seconds >= 0:
        raise ValueError(f"{seconds} is not a number of seconds")
    if not 0 <= noise <= 1 or not alpha > 0:
        raise ValueError("noise is between 0 and 1, and alpha is more than 0")
    if not (math.isfinite(c_puct) and c_puct >= 0):
        raise ValueError("c_puct is a finite number, 0 or more")
    rng = np.random.default_rng(seed)
    players = state.num_players()
    width = len(state.legal_actions_mask())
    judge = evaluate if evaluate is not None else _by_playouts(rng, width)
    root = _Node(state)
    _evaluate([root], judge, players, width)
    if noise > 0:
        root.priors = (1 - noise) * root.priors + noise * rng.dirichlet([alpha] * len(root.priors))
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    done = 0
    while (simulations is None or done < simulations) and (done == 0 or time.monotonic() < deadline):
        wanted = batch if simulations is None else min(batch, simulations - done)
        done += _pass(root, wanted, judge, players, width, c_puct, rng)
    return _result(root, width, done)


def _pass(
    root: _Node,
    wanted: int,
    judge: Evaluate,
    players: int,
    width: int,
    c_puct: float,
    rng: np.random.Generator,
) -> int:
    """Some descents, one evaluation of all their leaves, and the values brought back."""
    paths: list[tuple[list[tuple[_Node, int]], _Node]] = []
    leaves: dict[int, _Node] = {}
    for _ in range(wanted):
        node, path = root, []
        while node.actions is not None and node.value is None:
            index = node.best(c_puct)
            path.append((node, index))
            node.waiting[index] += 1
            child = node.children.get(index)
            if child is None:
                child = _Node(_draw(rng, node.state.child(int(node.actions[index]))))
                if child.state.is_terminal():
                    child.value = _scaled(child.state.returns())
                elif child.player < 0:
                    raise ValueError("mcts searches where one player has the turn")
                node.children[index] = child
            node = child
        paths.append((path, node))
        if node.value is None:
            leaves[id(node)] = node
    values = _evaluate(list(leaves.values()), judge, players, width)
    for path, leaf in paths:
        value = leaf.value if leaf.value is not None else values[id(leaf)]
        for node, index in path:
            node.waiting[index] -= 1
            node.visits[index] += 1
            node.sums[index] += value[node.player]
    return wanted


def _evaluate(
    leaves: list[_Node], judge: Evaluate, players: int, width: int
) -> dict[int, npt.NDArray[np.float64]]:
    """Evaluates leaves in one call and expands them."""
    if not leaves:
        return {}
    observations = np.stack([leaf.state.observation_tensor() for leaf in leaves])
    movers = np.asarray([leaf.player for leaf in leaves], dtype=np.int64)
    if isinstance(judge, _Playouts):
        judge.states = [leaf.state for leaf in leaves]
    priors, values = judge(observations, movers)
    priors, values = np.asarray(priors, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if priors.shape != (len(leaves), width) or values.shape != (len(leaves), players):
        raise ValueError(
            f"evaluate must return priors {(len(leaves), width)} and values {(len(leaves), players)}, "
            f"not {priors.shape} and {values.shape}"
        )
    if not np.isfinite(values).all() or not np.isfinite(priors).all():
        raise ValueError("evaluate returned a prior or a value that is not finite")
    found = {}
    for leaf, own, value in zip(leaves, priors, values, strict=True):
        leaf.expand(own)
        found[id(leaf)] = value
    return found


class _Playouts:
    """Evaluates leaves by a random playout each."""

    def __init__(self, rng: np.random.Generator, width: int) -> None:
        self.rng = rng
        self.width = width
        self.states: list[State] = []

    def __call__(
        self, observations: npt.NDArray[np.float32], movers: npt.NDArray[np.int64]
    ) -> tuple[Floats, Floats]:
        values = [self._play(state.clone()) for state in self.states]
        return np.ones((len(observations), self.width)), np.stack(values)

    def _play(self, state: State) -> npt.NDArray[np.float64]:
        while not state.is_terminal():
            if state.is_simultaneous_node():
                legal = [state.legal_actions(player) for player in range(state.num_players())]
                state.apply_actions([own[int(self.rng.integers(len(own)))] for own in legal])
            else:
                own = state.legal_actions()
                state.apply_action(own[int(self.rng.integers(len(own)))])
        return _scaled(state.returns())


def _by_playouts(rng: np.random.Generator, width: int) -> Evaluate:
    return _Playouts(rng, width)


def _result(root: _Node, width: int, done: int) -> SearchResult:
    assert root.actions is not None
    visits = np.zeros(width, dtype=np.int64)
    values = np.zeros(width)
    visits[root.actions] = root.visits
    tried = root.visits > 0
    values[root.actions[tried]] = root.sums[tried] / root.visits[tried]
    value = float(root.sums.sum() / max(1, int(root.visits.sum())))
    return SearchResult(visits=visits, values=values, value=value, simulations=done)
