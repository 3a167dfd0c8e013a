"""What is wrong is refused with a message, and nothing changes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import groundrules as gr


@pytest.fixture
def env() -> gr.VectorEnv:
    return gr.load("tic-tac-toe").vector(4, seed=1)


def legal(env: gr.VectorEnv) -> np.ndarray:
    return env.random_actions().astype(np.int64)


@pytest.mark.parametrize(
    "shape",
    [(4, 3), (3, 2), (8,), (4, 2, 1), (), (0, 2)],
)
def test_shapes(env: gr.VectorEnv, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"shape \(4, 2\) or \(4,\)"):
        env.step(np.zeros(shape, dtype=np.int64))


@pytest.mark.parametrize("dtype", ["float64", "float32", "bool", "complex128", "object", "U3"])
def test_dtypes(env: gr.VectorEnv, dtype: str) -> None:
    with pytest.raises(TypeError, match="actions must be integers"):
        env.step(np.zeros((4, 2)).astype(dtype))


def test_nan(env: gr.VectorEnv) -> None:
    with pytest.raises(TypeError, match="integers, not float64"):
        env.step(np.full((4, 2), np.nan))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_every_integer_is_taken(env: gr.VectorEnv, dtype: str) -> None:
    env.step(legal(env).astype(dtype))
    assert env.steps.tolist() == [1] * 4


def test_any_layout_is_taken(env: gr.VectorEnv) -> None:
    wide = np.zeros((4, 4), dtype=np.int64)
    wide[:, ::2] = legal(env)
    env.step(wide[:, ::2])
    env.step(np.asfortranarray(legal(env)))
    env.step(legal(env).tolist())
    frozen = legal(env)
    frozen.flags.writeable = False
    env.step(frozen)
    assert env.steps.tolist() == [4] * 4


@pytest.mark.parametrize("wrong", [-1, 10, 2**40, -(2**63), np.iinfo(np.uint64).max])
def test_no_such_action(env: gr.VectorEnv, wrong: int) -> None:
    actions = legal(env).astype(object)
    actions[2, 0] = wrong
    before = env.state_dict()["states"]
    with pytest.raises(ValueError, match=r"lane 2: -?\d+ is no action of cross, which has 0 to 9"):
        env.step(actions.astype(np.uint64 if wrong > 2**63 else np.int64))
    assert (env.state_dict()["states"] == before).all() and not env.steps.any()


def test_illegal_actions_are_named(env: gr.VectorEnv) -> None:
    actions = legal(env)
    moves = env_moves()
    actions[3, 1] = moves[1].index("(place 2 2)")
    with pytest.raises(ValueError, match=r"lane 3: action \d+, \(place 2 2\), of nought is not legal"):
        env.step(actions)
    assert not env.steps.any()
    env.step(actions, check=False)  # Undefined, but no crash.


def env_moves() -> list[list[str]]:
    return gr.load("tic-tac-toe").moves


def test_several_choose() -> None:
    env = gr.load("rock-paper-scissors").vector(2)
    with pytest.raises(ValueError, match="several roles choose"):
        env.step([0, 0])


def test_sizes() -> None:
    game = gr.load("tic-tac-toe")
    with pytest.raises(ValueError, match="at least one lane"):
        game.vector(0)
    with pytest.raises(OverflowError):
        game.vector(-1)
    with pytest.raises(MemoryError):
        game.vector(2**50)
    with pytest.raises(ValueError, match="written as"):
        game.vector(1, observations="floats")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="playouts"):
        game.vector(1).playouts(0)


def test_lanes_are_chosen_by_booleans(env: gr.VectorEnv) -> None:
    env.step(legal(env), lanes=[True, False, True, False])
    assert env.steps.tolist() == [1, 0, 1, 0]
    env.reset([True, False, False, False])
    assert env.steps.tolist() == [0, 0, 1, 0]
    for call in [lambda lanes: env.reset(lanes), lambda lanes: env.step(legal(env), lanes=lanes)]:
        with pytest.raises(TypeError, match="by booleans, not by int64"):
            call(np.zeros(4, dtype=np.int64))
        with pytest.raises(ValueError, match=r"booleans \(4,\), not \[3\]"):
            call([True] * 3)
        with pytest.raises(ValueError, match="booleans"):
            call(np.zeros((4, 1), dtype=np.bool_))
    assert env.steps.tolist() == [0, 0, 1, 0]


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="the system does not say how much memory is available")
def test_what_does_not_fit_into_memory_is_refused() -> None:
    # Memory that was promised and is not there would end the process.
    with open("/proc/meminfo", encoding="ascii") as file:
        available = next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable"))
    with pytest.raises(MemoryError, match="do not fit into"):
        gr.load("tic-tac-toe").vector(available // 70)


@pytest.mark.parametrize("call", ["run", "verify", "solve"])
def test_threads(call: str) -> None:
    game = gr.load("tic-tac-toe")
    for number, error in [(0, ValueError), (-1, OverflowError), (10**6, ValueError)]:
        with pytest.raises(error):
            getattr(game, call)(threads=number)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"simulations": 0},
        {"seconds": -1.0},
        {"seconds": float("nan")},
        {"simulations": 5, "batch": 0},
        {"simulations": 5, "noise": 2.0},
        {"simulations": 5, "alpha": 0.0},
        {"simulations": 5, "c_puct": float("nan")},
    ],
)
def test_searches(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        gr.mcts(gr.load("tic-tac-toe").new_initial_state(), **wrong)  # type: ignore[arg-type]


def test_scribbling_changes_nothing(env: gr.VectorEnv) -> None:
    env.observations[:] = 7
    env.legal_mask[:] = False
    env.steps[:] = 99
    env.step(legal(env))
    assert env.observations.max() == 1 and env.steps.tolist() == [1] * 4
    env.observations.shape = (29 * 4,)
    env.step(legal(env))


def test_descriptions_with_errors() -> None:
    with pytest.raises(gr.GdlError) as caught:
        gr.load("(role you)\n(<= (legal you ?x))", name="draft")
    text = str(caught.value)
    assert text.startswith("draft is not GDL: line 2") and "error[G301]" in text and "\x1b" not in text
    first = next(item for item in caught.value.diagnostics if item["code"] == "G301")
    assert (first["severity"], first["line"]) == ("error", 2)
    with pytest.raises(FileNotFoundError, match="did you mean `tic-tac-toe`"):
        gr.load("tic-tac-to")
    with pytest.raises(OSError):
        gr.load(Path(__file__).parent)
    assert issubclass(gr.GdlError, ValueError)


def test_hostile_descriptions() -> None:
    for text in ["(" * 100_000, "(role you)" + "\0" * 50, "(role \ud800)".encode("utf-8", "replace").decode(), "()"]:
        with pytest.raises(gr.GdlError):
            gr.load(text)


def test_two_threads() -> None:
    env = gr.load("connect-four").vector(200_000)
    actions = env.random_actions()
    errors: list[Exception] = []

    def step() -> None:
        for _ in range(20):
            try:
                env.step(actions, check=False)
            except RuntimeError as error:
                errors.append(error)

    threads = [threading.Thread(target=step) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("another thread" in str(error) for error in errors)


def test_environments_in_threads() -> None:
    game = gr.load("connect-four")
    seen: list[int] = []
    threads = [threading.Thread(target=lambda: seen.append(game.vector(512, seed=1).rollout(50)["matches"])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 1 and len(seen) == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_fork() -> None:
    code = """
import os, groundrules as gr
env = gr.load("connect-four").vector(512, seed=1)
child = os.fork()
sums = env.rollout(30)
assert sums["moves"] == 512 * 30
state = gr.load("nim").new_initial_state(); state.legal_actions(0)
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True, timeout=120)


@pytest.mark.parametrize(
    "call",
    ["game.run(seconds=60)", "game.verify()", "game.solve()", "game.perft(30)", "game.vector(4096).rollout(10**9)", "game.vector(2).playouts(10**12)"],
)
def test_interrupts(call: str) -> None:
    # Who starts the tests in the background makes them ignore interrupts, and Python keeps to that.
    code = f"""
import signal
import groundrules as gr
signal.signal(signal.SIGINT, signal.default_int_handler)
game = gr.load("connect-four"); game.moves
print("ready", flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    child = subprocess.Popen([sys.executable, "-X", "dev", "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(0.7)
    child.send_signal(signal.SIGINT)
    try:
        output, _ = child.communicate(timeout=60)
    finally:
        child.kill()
    assert "interrupted" in output and child.returncode == 0


def test_after_the_end() -> None:
    state = gr.load("tic-tac-toe").new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(RuntimeError, match="over"):
        state.apply_action(0)
    with pytest.raises(RuntimeError, match="over"):
        state.apply_actions([0, 0])
    assert state.legal_actions() == [] and state.legal_actions(1) == []


def test_wrong_actions_of_a_state() -> None:
    state = gr.load("tic-tac-toe").new_initial_state()
    with pytest.raises(ValueError, match="not legal"):
        state.apply_action(99)
    with pytest.raises(ValueError, match="2 players"):
        state.apply_actions([0])
    with pytest.raises(IndexError):
        state.legal_actions(7)
    with pytest.raises(OverflowError):
        state.apply_action(-1)
    with pytest.raises(ValueError, match="no move"):
        state.string_to_action("(place 9 9)")
    with pytest.raises(ValueError):
        gr.State.deserialize(gr.load("tic-tac-toe"), b"\xff\x00")
    with pytest.raises(ValueError, match="no fluent"):
        gr.load("tic-tac-toe").state_of(["(cell 9 9 x)"])
