"""Monte Carlo statistics over many games, into a pandas frame and a plot.

    python statistics.py --seconds 0.2 --plot games.svg               the games of the library
    python statistics.py --folder GAMES --plot games.svg              every description of a folder

Needs pandas, and matplotlib for the plot.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

import groundrules as gr


def statistics(names: list[str], seconds: float, max_steps: int = 1000) -> pd.DataFrame:
    """A row for each game that could be played: length, branching, the first role's mean goal, states per second."""
    rows = []
    for name in names:
        try:
            game = gr.load(name)
            result = game.run(seconds=seconds, seed=1, max_steps=max_steps)
        except gr.GdlError as error:
            print(f"{name}: {str(error).splitlines()[0]}")
            continue
        if not result["playouts"]:
            continue
        rows.append(
            {
                "game": Path(name).stem,
                "roles": len(game.roles),
                "engine": game.engine[0],
                "playouts": result["playouts"],
                "length": result["length"],
                "branching": result["branching"],
                "first role": result["goals"][0],
                "± 95 %": 1.96 * result["goals_error"][0],
                "states/s": result["states"] / result["elapsed"],
            }
        )
    return pd.DataFrame(rows).set_index("game").sort_values("length")


def plot(frame: pd.DataFrame, file: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(9, 6))
    points = axes.scatter(frame["length"], frame["branching"], c=frame["first role"], cmap="coolwarm", vmin=0, vmax=100)
    for name, row in frame.iterrows():
        axes.annotate(str(name), (row["length"], row["branching"]), fontsize=6, xytext=(3, 3), textcoords="offset points")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("joint moves of a random playout")
    axes.set_ylabel("joint moves to choose from in a state")
    figure.colorbar(points, label="mean goal of the first role")
    figure.savefig(file, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", help="descriptions (*.kif, *.gdl); by default the games of the library")
    parser.add_argument("--seconds", type=float, default=0.2, help="for each game (0.2)")
    parser.add_argument("--most", type=int, default=100, help="at most so many games (100)")
    parser.add_argument("--plot", metavar="FILE", help="draw length and branching (svg, png or pdf)")
    arguments = parser.parse_args()
    names = gr.games()
    if arguments.folder:
        folder = Path(arguments.folder)
        names = sorted(str(file) for file in folder.rglob("*") if file.suffix in {".kif", ".gdl"})
    frame = statistics(names[: arguments.most], arguments.seconds)
    with pd.option_context("display.width", 160, "display.max_rows", None, "display.float_format", "{:,.1f}".format):
        print(frame)
    if arguments.plot:
        plot(frame, arguments.plot)


if __name__ == "__main__":
    main()
