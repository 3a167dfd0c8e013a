"""Other packages' own tests of environments, and OpenSpiel's algorithms."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import groundrules as gr


def test_pettingzoo() -> None:
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test, parallel_api_test

    from groundrules import pettingzoo

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ["tic-tac-toe", "connect-four", "rock-paper-scissors"]:
            api_test(pettingzoo.env(name), num_cycles=200)
            parallel_api_test(pettingzoo.parallel_env(name), num_cycles=50)


def test_gymnasium() -> None:
    gymnasium = pytest.importorskip("gymnasium")
    from gymnasium.utils.env_checker import check_env

    from groundrules.gymnasium import GdlEnv, GdlVectorEnv

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(GdlEnv("tic-tac-toe"), skip_render_check=True)
        check_env(GdlEnv("connect-four", role=1), skip_render_check=True)
    env = GdlVectorEnv("tic-tac-toe", 64, role="nought", seed=1)
    assert isinstance(env, gymnasium.vector.VectorEnv)
    observations, info = env.reset(seed=2)
    ended, total = 0, 0.0
    for _ in range(40):
        assert (info["action_mask"].sum(axis=1) > 1).all(), "every lane has a choice"
        scores = np.where(info["action_mask"], np.random.default_rng(1).random(info["action_mask"].shape), -1)
        observations, rewards, terminal, truncated, info = env.step(scores.argmax(axis=1))
        ended += int(terminal.sum())
        total += float(rewards.sum())
        assert not truncated.any() and (rewards >= 0).all()
        if terminal.any():
            assert info["_final_obs"].tolist() == terminal.tolist()
    assert ended > 300 and 0.2 < total / ended < 0.6
    illegal = np.asarray(info["action_mask"].argmin(axis=1))
    _, rewards, terminal, _, _ = env.step(illegal)
    assert (rewards == -1).all() and terminal.all()


def test_gymnasium_refuses_what_is_wrong() -> None:
    pytest.importorskip("gymnasium")
    from groundrules.gymnasium import GdlEnv, GdlVectorEnv

    for wrong in [{"role": "somebody"}, {"role": 2}, {"role": -1}, {"opponents": "greedy"}]:
        with pytest.raises(ValueError):
            GdlVectorEnv("tic-tac-toe", 2, **wrong)
    env = GdlVectorEnv("tic-tac-toe", 2)
    env.reset()
    with pytest.raises(TypeError, match="integers, not float64"):
        env.step(np.full(2, np.nan))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"shape \(2,\)"):
        env.step(np.zeros(3, dtype=np.int64))
    one = GdlEnv("tic-tac-toe")
    one.reset()
    with pytest.raises(TypeError):
        one.step(0.5)  # type: ignore[arg-type]
    _, reward, terminal, _, _ = one.step(np.int64(10**6))
    assert reward == -1 and terminal


def test_gymnasium_against_search() -> None:
    pytest.importorskip("gymnasium")
    from groundrules.gymnasium import GdlVectorEnv

    env = GdlVectorEnv("tic-tac-toe", 2, opponents="mcts", simulations=30, seed=1)
    _, info = env.reset()
    for _ in range(3):
        _, _, _, _, info = env.step(info["action_mask"].argmax(axis=1))


def test_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import minimax
    from open_spiel.python.algorithms import mcts as their_mcts

    from groundrules import openspiel

    game = openspiel.load("tic-tac-toe")
    assert game.num_players() == 2 and game.utility_sum() == 0.0
    bot = their_mcts.MCTSBot(
        game, 1.4, 50, their_mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)), random_state=np.random.RandomState(2)
    )
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(bot.step(state))
    assert sum(state.returns()) == 0.0
    state = game.new_initial_state()
    for place in ["(place 1 1)", "(place 2 1)", "(place 1 2)", "(place 3 3)"]:
        state.apply_action(state.string_to_action(place))
    value, _ = minimax.alpha_beta_search(game, state=state, maximum_depth=20)
    assert value == 1.0
    clone = state.clone()
    clone.apply_action(state.string_to_action("(place 1 3)"))
    assert clone.is_terminal() and not state.is_terminal()
    assert isinstance(pyspiel.load_game(game.get_type().short_name), pyspiel.Game)


# Matching pennies: one player wants the sides to be the same, the other does not.
PENNIES = """(role a) (role b) (init start) (side heads) (side tails)
    (<= (legal ?r ?s) (role ?r) (side ?s) (true start)) (<= (legal ?r noop) (role ?r) (not (true start)))
    (<= (next (shown ?r ?s)) (does ?r ?s) (side ?s))
    (<= terminal (not (true start)))
    (<= same (true (shown a ?s)) (true (shown b ?s)))
    (<= (goal a 100) same) (<= (goal a 0) (not same)) (<= (goal b 0) same) (<= (goal b 100) (not same))"""


def test_openspiel_finds_equilibria() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import cfr, exploitability

    from groundrules import openspiel

    game = openspiel.load(PENNIES)
    assert game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
    turned = pyspiel.convert_to_turn_based(game)
    solver = cfr.CFRSolver(turned)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    assert exploitability.exploitability(turned, solver.average_policy()) < 0.05


def test_openspiel_plays_poker() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

    from groundrules import openspiel

    game = openspiel.load("kuhn-poker")
    assert game.get_type().information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    solver = cfr.CFRSolver(game)
    for _ in range(200):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    # Six situations of each player, and the known value: a coin is worth half a point here.
    assert len(policy.states) == 12
    assert exploitability.exploitability(game, policy) < 0.02
    value = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)
    assert abs(value[0] + 1 / 36) < 0.01, value


def test_openspiel_simulates() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    from groundrules import openspiel

    for name in ["tic-tac-toe", "nim", "kuhn-poker", "rock-paper-scissors", "dice-race"]:
        pyspiel.random_sim_test(openspiel.load(name), num_sims=2, serialize=False, verbose=False)


def test_dlpack_hands_every_array_on_without_a_copy() -> None:
    for how in ["bytes", "bits"]:
        env = gr.load("connect-four").vector(100, seed=1, observations=how, legal=how)
        names = ["observations", "legal_mask", "terminal", "truncated", "rewards", "to_move", "steps"]
        taken = {name: np.from_dlpack(getattr(env, name)) for name in names}
        env.rollout(40)
        for name, other in taken.items():
            own = getattr(env, name)
            assert np.shares_memory(own, other) and own.dtype == other.dtype, name
            assert np.array_equal(own, other, equal_nan=own.dtype.kind == "f"), name


def test_torch_takes_arrays_without_a_copy() -> None:
    torch = pytest.importorskip("torch")
    env = gr.load("connect-four").vector(100)
    tensor = torch.from_dlpack(env.observations)
    env.step(env.random_actions())
    assert tensor.data_ptr() == env.observations.__array_interface__["data"][0]
    assert int(tensor.sum()) == int(env.observations.sum())


def test_jax_takes_arrays_without_a_copy() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    for how in ["bytes", "bits"]:
        env = gr.load("connect-four").vector(100, observations=how, legal=how)
        for name in ["observations", "legal_mask", "terminal", "truncated", "rewards", "to_move", "steps"]:
            own = getattr(env, name)
            assert jax.dlpack.from_dlpack(own, copy=False).unsafe_buffer_pointer() == own.__array_interface__["data"][0], name
