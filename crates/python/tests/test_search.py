"""Search with a network."""

from __future__ import annotations

import numpy as np
import pytest

import groundrules as gr


def test_wins_are_found() -> None:
    game = gr.load("connect-four")
    state = game.new_initial_state()
    for _ in range(3):
        for column in ["(drop 1)", "(drop 2)"]:
            state.apply_action(state.string_to_action(column))
    found = gr.mcts(state, simulations=600, seed=1)
    assert state.action_to_string(found.action) == "(drop 1)"
    assert found.simulations == 600 and found.visits.sum() == 600 and found.value > 0.5


def test_networks_are_asked_in_batches() -> None:
    state = gr.load("tic-tac-toe").new_initial_state()
    sizes: list[int] = []

    def evaluate(observations: np.ndarray, movers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        assert observations.dtype == np.float32 and len(movers) == len(observations)
        sizes.append(len(observations))
        return np.ones((len(observations), 10)), np.zeros((len(observations), 2))

    found = gr.mcts(state, simulations=100, evaluate=evaluate, batch=8, noise=0.25, seed=1)
    assert max(sizes) > 4 and len(sizes) < 40
    policy = found.policy()
    assert policy.sum() == pytest.approx(1) and found.policy(0).max() == 1


def test_wrong_networks_are_named() -> None:
    state = gr.load("tic-tac-toe").new_initial_state()
    with pytest.raises(ValueError, match="must return priors"):
        gr.mcts(state, simulations=5, evaluate=lambda seen, movers: (np.ones((1, 3)), np.ones((1, 2))))
    with pytest.raises(ValueError, match="not finite"):
        gr.mcts(state, simulations=5, evaluate=lambda seen, movers: (np.ones((1, 10)), np.full((1, 2), np.nan)))
    with pytest.raises(ValueError, match="how long"):
        gr.mcts(state)
    with pytest.raises(ValueError, match="one player"):
        gr.mcts(gr.load("rock-paper-scissors").new_initial_state(), simulations=1)
