"""Tabular Q-learning on tic-tac-toe, 512 matches at a time, against a random opponent.

    python q_learning.py --steps 4000

The table has a row for each state met, by its packed bits. A learner that knows nothing gets about 65 of 100; after
some seconds it gets more than 90.
"""

from __future__ import annotations

import argparse

import numpy as np

import groundrules as gr


class Table:
    """Values of actions by state; an unknown state has zeros."""

    def __init__(self, actions: int) -> None:
        self.rows: dict[bytes, int] = {}
        self.values = np.zeros((1 << 14, actions))

    def find(self, states: np.ndarray) -> np.ndarray:
        """The rows of packed states, new ones for those not met before."""
        found = [self.rows.setdefault(state.tobytes(), len(self.rows)) for state in states]
        if len(self.rows) > len(self.values):
            self.values = np.concatenate([self.values, np.zeros_like(self.values)])
        return np.asarray(found)


def choose(table: Table, env: gr.VectorEnv, rows: np.ndarray, greed: float, rng: np.random.Generator) -> np.ndarray:
    mask = env.legal_mask[:, 0]
    values = np.where(mask, table.values[rows], -np.inf)
    best = values.argmax(axis=1)
    anything = np.where(mask, rng.random(mask.shape), -1).argmax(axis=1)
    return np.where(rng.random(len(rows)) < greed, best, anything)


def learn(steps: int, lanes: int = 512, rate: float = 0.2, seed: int = 1) -> Table:
    """Role 0 learns; role 1 makes random moves. A step is a move of both."""
    game = gr.load("tic-tac-toe")
    env = game.vector(lanes, seed=seed, auto_reset=False, observations="bits")
    rng = np.random.default_rng(seed)
    table = Table(len(game.moves[0]))
    for step in range(steps):
        rows = table.find(env.observations)
        actions = choose(table, env, rows, step / steps, rng)
        env.step(actions)
        reward = env.rewards[:, 0] / 100.0
        going = ~env.terminal
        if going.any():
            env.step(env.random_actions())
            reward = reward + np.where(going, env.rewards[:, 0] / 100.0, 0.0)
        after = table.find(env.observations)
        best = np.where(env.legal_mask[:, 0], table.values[after], -np.inf).max(axis=1)
        target = reward + np.where(env.terminal, 0.0, best)
        table.values[rows, actions] += rate * (target - table.values[rows, actions])
        if env.terminal.any():
            env.reset(env.terminal.copy())
    return table


def play(table: Table | None, lanes: int = 4096, seed: int = 7) -> float:
    """The mean goal of the greedy learner, or of random moves without a table."""
    game = gr.load("tic-tac-toe")
    env = game.vector(lanes, seed=seed, auto_reset=False, observations="bits")
    total = np.zeros(lanes)
    for turn in range(9):
        actions = env.random_actions()
        if turn % 2 == 0 and table is not None:
            rows = table.find(env.observations)
            actions[:, 0] = choose(table, env, rows, 1.0, np.random.default_rng(seed))
        env.step(actions)
        total += env.rewards[:, 0]
    return float(total.mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, default=4000)
    arguments = parser.parse_args()
    print(f"random moves get {play(None):.1f} of 100")
    table = learn(arguments.steps)
    print(f"after {arguments.steps} steps of 512 matches: {play(table):.1f} of 100, {len(table.rows)} states met")


if __name__ == "__main__":
    main()
