"""Makes pickled environments again."""

from __future__ import annotations

from typing import Any, Literal

from ._native import Game, VectorEnv

_How = Literal["bytes", "bits"] | None
_Seen = Literal["bytes", "bits", "planes"] | None


def environment(
    game: Game,
    n: int,
    auto_reset: bool,
    max_steps: int | None,
    observations: _Seen,
    legal: _How,
    state: dict[str, Any],
) -> VectorEnv:
    env = game.vector(n, auto_reset=auto_reset, max_steps=max_steps, observations=observations, legal=legal)
    env.load_state_dict(state)
    return env
