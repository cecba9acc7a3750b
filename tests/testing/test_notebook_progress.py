"""A notebook shows how far a run is; scripts, terminals and short runs show nothing."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

import pldcheck
from pldcheck.testing import notebook_progress

GRID = {"sigma": [1.0, 2.0, 3.0], "steps": 1, "delta": 1e-6}


class Notebook:
    """What IPython offers to a cell, with a list of all texts that were shown."""

    def __init__(self):
        self.texts = []
        self.get_ipython = lambda: SimpleNamespace(kernel=object())

    def display(self, line, display_id):
        assert display_id
        self.texts.append(repr(line))
        return SimpleNamespace(update=lambda line: self.texts.append(repr(line)))


@pytest.fixture
def notebook(monkeypatch):
    own = Notebook()
    module, display = ModuleType("IPython"), ModuleType("IPython.display")
    module.get_ipython, display.display = own.get_ipython, own.display
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return own


@pldcheck.theorem(protocol="gaussian", grid=GRID)
def four(sigma, steps, delta):
    return 4.0


def test_a_long_run_is_counted_and_the_line_goes_at_its_end(notebook, monkeypatch):
    monkeypatch.setattr(notebook_progress, "PATIENCE", 0.0)
    monkeypatch.setattr(notebook_progress, "SECONDS", 0.0)
    pldcheck.verify(four)
    assert [text.partition(" after")[0] for text in notebook.texts] == [*(f"{k} of 3 cells" for k in (1, 2, 3)), ""]


def test_the_line_goes_with_an_interrupt_too(notebook, monkeypatch):
    monkeypatch.setattr(notebook_progress, "PATIENCE", 0.0)
    with pytest.raises(KeyboardInterrupt), notebook_progress.notebook_progress() as step:
        step(None, 5)
        raise KeyboardInterrupt
    assert notebook.texts[-1] == "" and len(notebook.texts) == 2


def test_short_runs_and_unwanted_lines_are_not_shown(notebook, monkeypatch):
    monkeypatch.setattr(notebook_progress, "PATIENCE", 1e9)
    pldcheck.verify(four)
    monkeypatch.setattr(notebook_progress, "PATIENCE", 0.0)
    pldcheck.verify(four, progress=False)
    assert notebook.texts == []


def test_a_shell_of_ipython_shows_nothing(notebook):
    sys.modules["IPython"].get_ipython = lambda: SimpleNamespace()
    with notebook_progress.notebook_progress() as step:
        assert step is None
