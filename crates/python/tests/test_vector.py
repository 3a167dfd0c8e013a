"""Many matches at once, held lane by lane against single states."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import groundrules as gr

GAMES = ["tic-tac-toe", "connect-four", "rock-paper-scissors", "nim"]


def follow(name: str, n: int, steps: int, **options: object) -> None:
    """Steps an environment and single states side by side, and compares everything."""
    game = gr.load(name)
    env = game.vector(n, seed=3, **options)  # type: ignore[arg-type]
    states = [game.new_initial_state() for _ in range(n)]
    roles = len(game.roles)
    for _ in range(steps):
        actions = env.random_actions()
        env.step(actions)
        for lane, state in enumerate(states):
            state.apply_actions(actions[lane].tolist())
            assert env.terminal[lane] == state.is_terminal()
            if state.is_terminal():
                assert env.rewards[lane].tolist() == state.returns()
                states[lane] = state = game.new_initial_state()
            else:
                assert not env.rewards[lane].any()
            assert env.steps[lane] == state.move_number()
            assert (env.observations[lane] == state.observation_tensor()).all()
            assert env.to_move[lane] == state.current_player()
            for role in range(roles):
                assert (env.legal_mask[lane, role] == state.legal_actions_mask(role)).all()
            assert env.fluents_of(lane) == state.fluents


@pytest.mark.parametrize("name", GAMES)
def test_lanes_are_states(name: str) -> None:
    follow(name, 9, 25)


def test_arrays_are_views() -> None:
    env = gr.load("connect-four").vector(600)
    before = {name: getattr(env, name) for name in ["observations", "legal_mask", "terminal", "rewards", "to_move", "steps"]}
    addresses = {name: array.__array_interface__["data"][0] for name, array in before.items()}
    env.step(env.random_actions())
    for name, array in before.items():
        assert getattr(env, name) is array
        assert array.__array_interface__["data"][0] == addresses[name]
    assert before["steps"].tolist() == [1] * 600
    assert before["observations"].dtype == np.uint8 and before["legal_mask"].dtype == np.bool_
    assert np.from_dlpack(env.observations).__array_interface__["data"][0] == addresses["observations"]


def test_bits_are_bytes() -> None:
    game = gr.load("connect-four")
    env, packed = game.vector(70, seed=1), game.vector(70, seed=1, observations="bits", legal="bits")
    for _ in range(9):
        actions = env.random_actions()
        env.step(actions)
        packed.step(actions)
    bits = np.unpackbits(packed.observations.view(np.uint8), axis=1, bitorder="little")
    assert (bits[:, : env.observations.shape[1]] == env.observations).all()
    mask = env.legal_mask.reshape(70, -1)
    bits = np.unpackbits(packed.legal_mask.view(np.uint8), axis=1, bitorder="little")
    assert (bits[:, : mask.shape[1]] == mask).all()


def test_seeds_decide() -> None:
    game = gr.load("connect-four")
    first, second, other = game.vector(100, seed=1), game.vector(100, seed=1), game.vector(100, seed=2)
    for env in (first, second, other):
        env.rollout(15)
    assert (first.observations == second.observations).all()
    assert (first.observations != other.observations).any()


def test_mover_actions() -> None:
    game = gr.load("tic-tac-toe")
    env, joint = game.vector(20), game.vector(20)
    for _ in range(5):
        actions = joint.random_actions()
        mover = actions[np.arange(20), joint.to_move]
        env.step(mover)
        joint.step(actions)
        assert (env.observations == joint.observations).all()


def test_matches_that_end_stay_without_auto_reset() -> None:
    env = gr.load("tic-tac-toe").vector(300, auto_reset=False)
    total = np.zeros((300, 2))
    for _ in range(9):
        env.step(env.random_actions())
        total += env.rewards
    assert env.terminal.all() and (env.to_move == -4).all() and not env.legal_mask.any()
    assert (total.sum(axis=1) == 100).all()
    before = env.observations.copy()
    env.step(np.full((300, 2), -7))
    assert (env.observations == before).all()


def test_limits_cut_matches() -> None:
    env = gr.load("connect-four").vector(10, max_steps=3)
    for _ in range(3):
        env.step(env.random_actions())
    assert env.truncated.all() and not env.terminal.any() and not env.steps.any()


def test_some_lanes_only() -> None:
    env = gr.load("tic-tac-toe").vector(10)
    some = np.arange(10) % 2 == 0
    env.step(np.where(some[:, None], env.random_actions(), -1), lanes=some)
    assert (env.steps == some).all()
    env.reset(some)
    assert not env.steps.any()


def test_playouts_are_values() -> None:
    env = gr.load("tic-tac-toe").vector(3, seed=1)
    values = env.playouts(20_000)
    assert values.shape == (3, 2)
    assert np.allclose(values.sum(axis=1), 100)
    assert np.allclose(values[:, 0], 64.8, atol=1.5)


def test_rollouts() -> None:
    env = gr.load("tic-tac-toe").vector(2000, auto_reset=False)
    sums = env.rollout(9)
    assert sums["matches"] == 2000 and env.terminal.all()
    assert sums["rewards"].sum() == 200_000


def test_states_are_saved() -> None:
    game = gr.load("connect-four")
    env, other = game.vector(90, seed=5), game.vector(90)
    env.rollout(11)
    other.load_state_dict(env.state_dict())
    third = pickle.loads(pickle.dumps(env))
    assert (other.observations == env.observations).all() and (other.steps == env.steps).all()
    for copy in (env, other, third):
        copy.rollout(7)
    assert (other.observations == env.observations).all() and (third.observations == env.observations).all()
    with pytest.raises(ValueError, match="state of connect-four"):
        gr.load("nim").vector(90).load_state_dict(env.state_dict())
    with pytest.raises(ValueError, match="do not fit"):
        game.vector(91).load_state_dict(env.state_dict())
    with pytest.raises(ValueError, match="there is no"):
        env.load_state_dict({})
