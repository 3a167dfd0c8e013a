"""The game as an object, and one state at a time."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np

import pytest

import groundrules as gr


def test_a_game(tmp_path: Path) -> None:
    game = gr.load("tic-tac-toe")
    assert game.roles == ["cross", "nought"] and game.verdict == "bounded GDL"
    assert len(game.moves[0]) == 10 and "noop" in game.moves[1]
    assert "(cell 1 1 cross)" in game.fluents
    assert game.ground()["moves"] == 20
    assert game.check().endswith("tic-tac-toe: bounded GDL")
    assert game.engine[0] == "sliced"
    file = tmp_path / "copy.kif"
    file.write_text(game.text)
    assert gr.load(file).moves == game.moves == gr.load(game.text).moves
    assert pickle.loads(pickle.dumps(game)).fluents == game.fluents
    assert "tic-tac-toe" in gr.games() and "cross nought" in repr(game)


def test_the_network_is_drawn() -> None:
    network = gr.load("tic-tac-toe").network()
    assert network.gates > 50 and network.moves == 20
    svg = network._repr_svg_()
    assert svg is not None and svg.lstrip().startswith(("<svg", "<?xml"))
    assert network.dot().startswith("digraph")


def test_explorations() -> None:
    game = gr.load("tic-tac-toe")
    found = game.verify()
    assert found["states"] == 5478 and found["complete"]
    assert found["verdicts"]["termination"]["holds"] is True
    assert found["verdicts"]["monotonicity"]["holds"] is False
    solved = game.solve()
    assert solved["exact"] and solved["values"] == {"cross": (50.0, 50.0), "nought": (50.0, 50.0)}
    assert [row["sequences"] for row in game.perft(3)] == [1, 9, 72, 504]
    calls: list[tuple[int, int, int]] = []
    gr.load("connect-four").perft(9, progress=lambda *news: calls.append(news))
    stopped = gr.load("connect-four").verify(states=1000)
    assert not stopped["complete"] and stopped["stopped"]


def test_playouts() -> None:
    result = gr.load("tic-tac-toe").run(20_000, seed=1, threads=2)
    assert result["playouts"] == 20_000
    assert np.allclose(result["goals"], [64.8, 35.2], atol=1.5)
    values, counts = result["histograms"][0]
    assert values.tolist() == [0, 50, 100] and counts.sum() == 20_000
    again = gr.load("tic-tac-toe").run(20_000, seed=1)
    assert (again["goals"] == result["goals"]).all()


def test_a_state() -> None:
    game = gr.load("tic-tac-toe")
    state = game.new_initial_state()
    assert state.current_player() == 0 and len(state.legal_actions()) == 9
    assert state.legal_actions_mask().sum() == 9 and state.legal_actions_mask(1).sum() == 1
    centre = state.string_to_action("(PLACE 2 2)")
    assert state.action_to_string(centre) == state.action_to_string(0, centre) == "(place 2 2)"
    child = state.child(centre)
    assert child.current_player() == 1 and state.current_player() == 0
    assert "(cell 2 2 cross)" in child.fluents and child.move_number() == 1
    assert child.returns() == [0.0, 0.0]
    for other in [child.clone(), copy.deepcopy(child), gr.State.deserialize(game, child.serialize())]:
        assert other == child and hash(other) == hash(child)
    assert pickle.loads(pickle.dumps(child)).fluents == child.fluents
    assert child != state
    assert game.state_of(child.fluents) == child
    assert pickle.loads(pickle.dumps(game.state_of(child.fluents))).fluents == child.fluents
    assert child.observation_tensor().sum() == len(child.fluents)
    assert child.information_state_string() == " ".join(child.fluents)


def test_states_are_drawn() -> None:
    state = gr.load("tic-tac-toe").new_initial_state()
    state.apply_action(state.string_to_action("(place 2 2)"))
    assert state._repr_svg_().startswith("<svg") and "x" in str(state).lower()


def test_simultaneous_moves() -> None:
    state = gr.load("rock-paper-scissors").new_initial_state()
    assert state.is_simultaneous_node() and state.current_player() == -2
    state.apply_actions([state.legal_actions(role)[0] for role in range(2)])
    assert state.full_history()[0] == [0, 0]


def test_chance() -> None:
    text = """(role random) (role you) (init start) (legal random heads) (legal random tails) (legal you wait)
        (<= (next heads) (does random heads)) (<= (next done) (true start))
        (<= terminal (true done)) (<= (goal you 100) (true heads)) (<= (goal you 0) (not (true heads))) (goal random 0)"""
    state = gr.load(text).new_initial_state()
    assert state.is_chance_node() and state.current_player() == -1
    assert [probability for _, probability in state.chance_outcomes()] == [0.5, 0.5]
    assert {state.child(action).returns()[1] for action, _ in state.chance_outcomes()} == {0.0, 100.0}


def test_games_that_cannot_be_grounded_are_still_played() -> None:
    text = """(role you) (init (n z)) (legal you more) (<= (next (n (s ?x))) (true (n ?x)))
        (<= terminal (true (n (s (s (s z)))))) (goal you 100)"""
    game = gr.load(text)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    assert state.returns() == [100.0]


def test_the_program() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "groundrules", "check", "tic-tac-toe"], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("tic-tac-toe: bounded GDL")
    wrong = subprocess.run([sys.executable, "-m", "groundrules", "nothing"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "unrecognized subcommand" in wrong.stderr


def test_progress_is_a_line(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from groundrules import _progress

    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    gr.load("connect-four").run(seconds=0.5, progress=True)
    said = capsys.readouterr().err
    assert " playouts, " in said and said.endswith("\r")
    gr.load("connect-four").run(seconds=0.2, progress=False)
    gr.load("connect-four").run(seconds=0.2)
    assert capsys.readouterr().err == "", "nobody watches"
    with pytest.raises(TypeError, match="progress"):
        gr.load("tic-tac-toe").verify(progress=7)  # type: ignore[arg-type]


def test_hidden_information() -> None:
    game = gr.load("kuhn-poker")
    assert game.has_hidden_information and not gr.load("nim").has_hidden_information
    elder, younger = game.roles.index("elder"), game.roles.index("younger")
    deals = [game.new_initial_state() for _ in range(2)]
    for state, deal in zip(deals, ["(deal king queen)", "(deal king jack)"], strict=True):
        state.apply_action(state.string_to_action(deal))
        state.apply_action(state.string_to_action("bet"))
    one, other = deals
    assert one.information_state_string(elder) == other.information_state_string(elder) == "noop (your-card king) / bet"
    assert one.information_state_string(younger) == "noop (your-card queen) / noop (rival-did bet)"
    assert other.information_state_string() == "noop (your-card jack) / noop (rival-did bet)"
    assert one.observation_string(younger) == "noop (rival-did bet)"
    with pytest.raises(ValueError, match="information is hidden"):
        one.observation_tensor(elder)
    assert gr.State.deserialize(game, one.serialize()).information_state_string(younger) == one.information_state_string(younger)
