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


#: The same game in other packages: of OpenSpiel, PGX, EnvPool. Games that differ in size or rules are left out.
PEERS: dict[str, tuple[str | None, str | None, str | None]] = {
    "tic-tac-toe": ("tic_tac_toe", "tic_tac_toe", "TicTacToe-v1"),
    "connect-four": ("connect_four", "connect_four", "ConnectFour-v1"),
    "breakthrough": ("breakthrough", None, None),
    "reversi": ("othello", "othello", "Othello-v1"),
    "hex-7x7": ("hex(board_size=7)", None, None),
    "gomoku": ("gomoku", None, None),
    "nim": ("nim(pile_sizes=1;3;5;7,is_misere=False)", None, None),
}


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
    """Random moves inside, four thousand in each environment between two looks at what is seen."""
    import groundrules as gr

    env = gr.load(name).vector(n, seed=1)
    env.rollout(4)
    start, made = time.process_time(), 0
    while time.process_time() - start < seconds:
        made += env.rollout(4000)["moves"]
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


def envpool_per_second(name: str, n: int, seconds: float) -> float:
    """EnvPool's native port with one thread and random legal actions, made beforehand and not timed."""
    envpool: Any = importlib.import_module("envpool")

    env = envpool.make(name, env_type="gymnasium", num_envs=n, num_threads=1, seed=1)
    _, info = env.reset()
    rng = np.random.default_rng(1)
    spent, made = 0.0, 0
    while spent < seconds:
        mask = info["legal_action_mask"]
        # A lane whose match is over begins again, whatever it is told.
        actions = np.where(mask, rng.random(mask.shape), -1.0).argmax(1).astype(np.int32)
        start = time.process_time()
        *_, info = env.step(actions)
        spent += time.process_time() - start
        made += n
    return made / spent


def run_per_second(name: str, seconds: float) -> float:
    """What the program's command ``run`` does on one thread, in states."""
    import groundrules as gr

    game = gr.load(name)
    game.run(100)
    start = time.process_time()
    states = game.run(seconds=seconds)["states"]
    return float(states) / (time.process_time() - start)


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

    columns = ["game", "fluents", "step", "as bits", "planes", "rollout", "`run`", "memory alone", "first step"]
    columns += ["PGX", "EnvPool", "OpenSpiel"]
    print("| " + " | ".join(columns) + " |")
    print("| --- |" + " ---: |" * (len(columns) - 1))
    for name in arguments.games:
        print("| " + " | ".join(_row(name, arguments.n, arguments.seconds)) + " |", flush=True)
    if arguments.plot:
        _plot(arguments.plot, arguments.seconds)
    return 0


def _row(name: str, n: int, seconds: float) -> list[str]:
    """The figures of a game; those in millions are per second of processor time."""
    import groundrules as gr

    start = time.perf_counter()
    env = gr.load(name).vector(1)
    env.step(env.random_actions())
    first = time.perf_counter() - start
    fluents, moves = env.observations.shape[1], env.legal_mask[0].size
    width = fluents + moves + 4 * len(gr.load(name).roles) + 7
    spiel, pgx, pool = PEERS.get(name, (None, None, None))
    return [
        name,
        str(fluents),
        _text(steps_per_second(name, n, seconds)),
        _text(steps_per_second(name, n, seconds, observations="bits", legal="bits")),
        _text(_planes(name, n, seconds)),
        _text(rollout_per_second(name, n, seconds)),
        _text(run_per_second(name, seconds)),
        _text(memory_per_second(n, width, 0.2) / width),
        f"{first * 1e3:.0f} ms",
        _text(_peer(lambda: pgx_per_second(str(pgx), 4096, seconds), "pgx") if pgx else None),
        _text(_peer(lambda: envpool_per_second(str(pool), 4096, seconds), "envpool") if pool else None),
        _text(_peer(lambda: openspiel_per_second(str(spiel), seconds), "pyspiel") if spiel else None),
    ]


def _planes(name: str, n: int, seconds: float) -> float | None:
    """Steps with observations as planes, where a board is found."""
    try:
        return steps_per_second(name, n, seconds, observations="planes")
    except ValueError:
        return None


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
