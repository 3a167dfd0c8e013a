"""The examples, run briefly."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import groundrules as gr

EXAMPLES = Path(__file__).parent.parent / "examples"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_q_learning_learns() -> None:
    learning = example("q_learning")
    assert 60 < learning.play(None) < 70
    assert learning.play(learning.learn(800)) > 85


def test_alphazero_runs() -> None:
    words = ["--playouts", "20", "--rounds", "1", "--matches", "2", "--simulations", "10", "--judge", "2"]
    run = subprocess.run(
        [sys.executable, str(EXAMPLES / "alphazero.py"), *words], capture_output=True, text=True, check=True, timeout=300
    )
    assert "round 1: loss" in run.stdout and "of the points of 2 matches" in run.stdout


def test_alphazero_learns_from_playouts() -> None:
    alphazero, game = example("alphazero"), gr.load("tic-tac-toe")
    network = alphazero.Network(len(game.fluents), max(map(len, game.moves)), 2, hidden=64)
    env, after = game.vector(512, seed=9), game.vector(512, seed=10, auto_reset=False)
    env.rollout(30)
    movers = env.to_move.astype(np.int64)
    best = np.nan_to_num(alphazero.worth_of_moves(env, after, 200), nan=-2).argmax(1)

    def prior_of_best() -> float:
        policy = network.forward(env.observations.astype(np.float32), movers)[2]
        return float(policy[np.arange(512), best].mean())

    assert prior_of_best() < 0.15
    assert alphazero.learn_from_playouts(game, network, 60, seed=2, lanes=512) < 0.4
    assert prior_of_best() > 0.25


def test_alphazero_trains() -> None:
    network = example("alphazero").Network(6, 4, 2, hidden=16)
    rng = np.random.default_rng(1)
    seen, movers = rng.random((64, 6)), rng.integers(2, size=64)
    visits, results = np.eye(4)[(seen[:, :4]).argmax(1)], np.sign(seen[:, 5] - 0.5)
    losses = [network.train(seen, movers, visits, results, 1e-2) for _ in range(300)]
    assert losses[-1] < losses[0] / 3


def test_statistics(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    statistics = example("statistics")
    frame = statistics.statistics(["tic-tac-toe", "nim"], 0.02)
    assert set(frame.index) == {"tic-tac-toe", "nim"} and (frame["length"] > 1).all()
    if importlib.util.find_spec("matplotlib"):
        statistics.plot(frame, str(tmp_path / "games.svg"))
        assert (tmp_path / "games.svg").stat().st_size > 1000
