"""``python -m groundrules.bench``: steps per second of processor time, on one core, beside other packages where they are installed.

Every figure is of one process and one thread: environments get random legal actions, made beforehand and not timed, and write
observations, masks, rewards and ends. ``--plot FILE`` draws steps per second over the number of environments.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

GAMES = [
    "tic-tac-toe",
    "connect-four",
    "breakthrough",
    "reversi",
    "hex-7x7",
    "gomoku",
    "amazons-6x6",
    "rock-paper-scissors",
    "nim",
    "lights-out",
]


def steps_per_second(name: str, n: int, seconds: float, **options: str) -> float:
    """``env.step`` with given random legal actions."""
    import groundrules as gr

    env = gr.load(name).vector(n, seed=1, **options)  # type: ignore[arg-type]
    spent, made = 0.0, 0
    while spent < seconds:
        actions = env.random_actions()
        start = time.process_time()
        env.step(actions)
        spent += time.process_time() - start
        made += n
    return made / spent


def rollout_per_second(name: str, n: int, seconds: float) -> float:
    """Random moves inside."""
    import groundrules as gr

    env = gr.load(name).vector(n, seed=1)
    env.rollout(1)
    start, made = time.process_time(), 0
    while time.process_time() - start < seconds:
        made += env.rollout(20)["moves"]
    return made / (time.process_time() - start)


def memory_per_second(n: int, width: int, seconds: float) -> float:
    """Bytes that a core writes into as much memory as the arrays have: what no engine can exceed."""
    block = np.zeros(n * width, dtype=np.uint8)
    start, written = time.process_time(), 0
    while time.process_time() - start < seconds:
        block.fill(written & 1)
        written += len(block)
    return written / (time.process_time() - start)


def openspiel_per_second(name: str, seconds: float) -> float:
    """OpenSpiel's own game in a loop of Python."""
    import pyspiel

    game = pyspiel.load_game(name)
    rng = np.random.default_rng(1)
    start, made = time.process_time(), 0
    while time.process_time() - start < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.integers(len(legal)))])
            made += 1
    return made / (time.process_time() - start)


def pgx_per_second(name: str, n: int, seconds: float) -> float:
    """PGX on this processor, compiled, with its own choice of a legal action inside the compiled step."""
    import pgx

    jax: Any = importlib.import_module("jax")

    env = pgx.make(name)
    init, step = jax.jit(jax.vmap(env.init)), jax.vmap(env.step)

    @jax.jit  # type: ignore[untyped-decorator, unused-ignore]
    def advance(state: Any, key: Any) -> Any:
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        return step(state, jax.random.categorical(key, logits, axis=1))

    key = jax.random.PRNGKey(0)
    state = init(jax.random.split(key, n))
    state = advance(state, key)
    jax.block_until_ready(state)
    start, made = time.process_time(), 0
    while time.process_time() - start < seconds:
        key, own = jax.random.split(key)
        state = advance(state, own)
        jax.block_until_ready(state)
        made += n
    return made / (time.process_time() - start)


def _peer(work: Callable[[], float], package: str) -> float | None:
    """A peer's figure, if it is installed and plays here."""
    if importlib.util.find_spec(package) is None:
        return None
    try:
        return work()
    except Exception as error:  # noqa: BLE001 - whatever another package does must not end the benchmark
        print(f"{package}: {error}", file=sys.stderr)
        return None


def _text(number: float | None) -> str:
    return "–" if number is None else f"{number / 1e6:.2f} M"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m groundrules.bench", description=__doc__.split("\n")[0])
    parser.add_argument("games", nargs="*", default=GAMES, help="games of the library or paths")
    parser.add_argument("-n", type=int, default=65_536, help="how many environments (65536)")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time for each figure (1)")
    parser.add_argument("--plot", metavar="FILE", help="draw steps/s over n from 1 to 10^6 (needs matplotlib)")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import groundrules as gr

    for name in arguments.games:
        start = time.perf_counter()
        env = gr.load(name).vector(1)
        env.step(env.random_actions())
        first = time.perf_counter() - start
        fluents, moves = env.observations.shape[1], env.legal_mask[0].size
        rate = steps_per_second(name, arguments.n, arguments.seconds)
        bits = steps_per_second(name, arguments.n, arguments.seconds, observations="bits", legal="bits")
        inside = rollout_per_second(name, arguments.n, arguments.seconds)
        width = fluents + moves + 4 * len(gr.load(name).roles) + 7
        bound = memory_per_second(arguments.n, width, 0.2) / width
        theirs = {"tic-tac-toe": "tic_tac_toe", "connect-four": "connect_four"}.get(name, name)
        spiel = _peer(lambda name=theirs: openspiel_per_second(name, 0.5), "pyspiel") if theirs != name else None  # type: ignore[misc]
        pgx = _peer(lambda name=theirs: pgx_per_second(name, 4096, 1.0), "pgx") if theirs != name else None  # type: ignore[misc]
        print(
            f"{name}: {_text(rate)} steps/s (as bits {_text(bits)}, rollout {_text(inside)}), memory alone {_text(bound)}, "
            f"first step after {first * 1e3:.0f} ms; PGX {_text(pgx)}, OpenSpiel {_text(spiel)}",
            flush=True,
        )
    if arguments.plot:
        _plot(arguments.plot, arguments.seconds)
    return 0


def _plot(file: str, seconds: float) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    sizes = [4**power for power in range(10)] + [10**6]
    for name in ["tic-tac-toe", "connect-four"]:
        rates = [steps_per_second(name, n, min(seconds, 0.5)) for n in sizes]
        pyplot.loglog(sizes, rates, marker="o", label=name)
    pyplot.xlabel("environments")
    pyplot.ylabel("steps per second of processor time")
    pyplot.legend()
    pyplot.grid(True, which="both", alpha=0.3)
    pyplot.savefig(file, dpi=120, bbox_inches="tight")


if __name__ == "__main__":
    sys.exit(main())
