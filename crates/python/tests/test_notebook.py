"""The notebook, executed from its first cell to its last."""

from __future__ import annotations

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parent.parent / "examples" / "tour.ipynb"


def test_the_notebook_runs() -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    pytest.importorskip("matplotlib")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    assert kinds.count("image/svg+xml") == 2, "a board and a network"
    assert kinds.count("image/png") == 1, "a histogram"
    solved = next(cell for cell in notebook.cells if "solve()" in cell.source)
    assert "(50.0, 50.0)" in solved.outputs[0]["data"]["text/plain"]
