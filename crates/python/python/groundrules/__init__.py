"""Games written in GDL, the Game Description Language of General Game Playing.

>>> import groundrules as gr
>>> game = gr.load("tic-tac-toe")
>>> game.roles
['cross', 'nought']
>>> env = game.vector(n=1024, seed=1)
>>> env.step(env.random_actions())
>>> env.observations.shape, int(env.steps.max())
((1024, 29), 1)

A game is a text: ``load`` takes the name of a game of the library, a path, or the description itself. ``Game`` checks,
grounds, explores and plays it; ``State`` is one state with OpenSpiel's methods; ``VectorEnv`` steps many matches at a
call; ``mcts`` searches with a network of your own.
"""

from __future__ import annotations

import os

from . import _native
from ._native import Game, GdlError, Network, State, VectorEnv
from ._search import SearchResult, mcts

__all__ = [
    "Game",
    "GdlError",
    "Network",
    "SearchResult",
    "State",
    "VectorEnv",
    "games",
    "load",
    "mcts",
]


def load(game: str | os.PathLike[str], *, name: str = "description") -> Game:
    """Loads a game: the name of a game of the library, a path, or the description itself.

    A text with a parenthesis is a description, for which ``name`` is shown in messages.

    >>> load("connect-four").verdict
    'bounded GDL'
    >>> load("(role you) (legal you wait) (<= terminal (true never)) (goal you 0)").roles
    ['you']

    ``GdlError`` is raised for a description that is not GDL, with everything that was found:

    >>> try:
    ...     load("(role you) (<= (legal you ?x))")
    ... except GdlError as error:
    ...     [item["code"] for item in error.diagnostics if item["severity"] == "error"]
    ['G301', 'G503', 'G504']
    """
    if isinstance(game, str) and "(" in game:
        return _native.load_text(name, game)
    return _native.load(game)


def games() -> list[str]:
    """The names of the games of the library.

    >>> "connect-four" in games()
    True
    """
    return _native.games()
