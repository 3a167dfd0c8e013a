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
    # JAX takes no other memory without a copy.
    assert all(address % 64 == 0 for address in addresses.values())
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


@pytest.mark.parametrize("name", ["tic-tac-toe", "connect-four", "breakthrough", "reversi", "lights-out", "gomoku", "king-and-rook"])
def test_planes_tell_the_whole_state(name: str) -> None:
    game = gr.load(name)
    flat, env = game.vector(70, seed=1), game.vector(70, seed=1, observations="planes")
    n, planes, rows, columns = env.observations.shape
    assert (n, planes) == (70, len(game.planes)) and rows > 1 and columns > 1
    for _ in range(12):
        actions = flat.random_actions()
        flat.step(actions)
        env.step(actions)
        same = np.unique(flat.observations, axis=0, return_inverse=True)[1].reshape(-1)
        told = np.unique(env.observations.reshape(n, -1), axis=0, return_inverse=True)[1].reshape(-1)
        assert ((same[:, None] == same) == (told[:, None] == told)).all()
        assert (flat.legal_mask == env.legal_mask).all()
    assert env.observations.max() == 1


def test_planes_are_boards() -> None:
    game = gr.load("tic-tac-toe")
    env = game.vector(2, observations="planes", auto_reset=False)
    mark = game.new_initial_state().string_to_action("(place 1 2)")
    env.step(np.array([mark, mark]))
    cross = game.planes.index("cell cross")
    assert env.observations[0, cross].sum() == 1
    assert env.observations[0, cross].tolist() in ([[0, 0, 0], [1, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    turn = game.planes.index("(turn nought)")
    assert env.observations[1, turn].tolist() == [[1] * 3] * 3
    again = pickle.loads(pickle.dumps(env))
    assert (again.observations == env.observations).all()


def test_coordinates_are_enough() -> None:
    planes = gr.load("gomoku").planes
    assert len(planes) < 10 and "free" in planes, "fluents that a picture leaves out share a plane too"


def test_no_board_no_planes() -> None:
    with pytest.raises(ValueError, match="no board"):
        gr.load("rock-paper-scissors").vector(2, observations="planes")


def test_weights_choose() -> None:
    game = gr.load("connect-four")
    env = game.vector(500, seed=1)
    roles, moves = env.legal_mask.shape[1:]
    second = game.new_initial_state().legal_actions()[1]
    weights = np.zeros((roles, moves))
    weights[:, second] = 1.0
    rolled = env.rollout(4, policy=weights)
    assert rolled["moves"] == 2000 and rolled["matches"] == 0
    state = game.new_initial_state()
    for _ in range(4):
        state.apply_action(second)
    assert (env.observations == state.observation_tensor()).all() and (env.steps == 4).all()
    # A column that is full cannot be chosen, whatever its weight.
    env.rollout(60, policy=weights)
    own = np.zeros((500, roles, moves))
    for lane in range(500):
        own[lane, :, game.new_initial_state().legal_actions()[lane % 7]] = 1.0
    env.reset()
    env.rollout(1, policy=own)
    assert (env.observations[0] == env.observations[7]).all() and (env.observations[0] != env.observations[1]).any()


def test_equal_weights_are_random() -> None:
    game = gr.load("tic-tac-toe")
    by_weights, inside = game.vector(4096, seed=1), game.vector(4096, seed=2)
    ones = np.ones(by_weights.legal_mask.shape[1:], dtype=int)
    some, others = by_weights.rollout(50, policy=ones), inside.rollout(50, policy="random")
    assert some["moves"] == others["moves"] == 50 * 4096
    assert abs(some["rewards"][0] / some["matches"] - others["rewards"][0] / others["matches"]) < 1.5
    other = game.vector(4096)
    other.load_state_dict(by_weights.state_dict())
    for name in ["observations", "legal_mask", "to_move", "steps"]:
        assert (getattr(other, name) == getattr(by_weights, name)).all()
    stays = game.vector(64, auto_reset=False)
    assert stays.rollout(50, policy=ones)["matches"] == 64 and stays.terminal.all()


@pytest.mark.parametrize("wrong", ["greedy", np.ones(3), -np.ones((2, 10)), np.full((2, 10), np.nan), np.array(["a"])])
def test_wrong_weights(wrong: object) -> None:
    env = gr.load("tic-tac-toe").vector(4)
    assert env.legal_mask.shape[1:] == (2, 10)
    before = env.observations.copy()
    with pytest.raises((ValueError, TypeError)):
        env.rollout(1, policy=wrong)  # type: ignore[arg-type]
    assert (env.observations == before).all()
