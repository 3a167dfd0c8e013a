"""How far a long call is, in one line on the screen of whoever watches."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

Listener = Callable[[int, int, int], object]

#: Nothing is shown of calls that end sooner.
PATIENCE = 1.0


class Line:
    """A line that is written again and again, and taken away at the end."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.start = time.monotonic()
        self.width = 0

    def __call__(self, count: int, depth: int, frontier: int) -> None:
        seconds = time.monotonic() - self.start
        if seconds < PATIENCE:
            return
        text = f"{count:,} {self.what}"
        if depth:
            text += f", depth {depth}, {frontier:,} to go at this depth"
        text += f", {seconds:.0f} s"
        self._write(text)

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width))
        sys.stderr.flush()
        self.width = len(text)

    def close(self) -> None:
        if self.width:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()


def _is_watched() -> bool:
    """Whether somebody sees what is written: a terminal, or a notebook."""
    if "ipykernel" in sys.modules:
        return True
    return sys.stderr is not None and hasattr(sys.stderr, "isatty") and sys.stderr.isatty()


def listener(progress: Listener | bool | None, what: str) -> Listener | None:
    """Who is told: what the caller gave, a line by default, nobody for ``False``."""
    if progress is None or progress is True:
        return Line(what) if progress or _is_watched() else None
    if progress is False:
        return None
    if not callable(progress):
        raise TypeError("progress is a function of three numbers, True or False")
    return progress
