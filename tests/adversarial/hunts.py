"""The hunts there are: name -> generator of one cell from a random number generator.

A hunt is a module ``hunt_*.py`` of this folder with a mapping ``HUNTS``; each draws from one corner.
"""

import importlib
import random
import time
from collections.abc import Callable
from pathlib import Path

from .cells import Cell, Outcome, ask

HERE = Path(__file__).parent


def all_hunts() -> dict[str, Callable[[random.Random], Cell]]:
    """Return every hunt of every module."""
    hunts: dict[str, Callable[[random.Random], Cell]] = {}
    for path in sorted(HERE.glob("hunt_*.py")):
        module = importlib.import_module(f".{path.stem}", __package__)
        for name, hunt in module.HUNTS.items():
            assert name not in hunts, f"two hunts are called {name}"
            hunts[name] = hunt
    return hunts


def hunt_cells(name: str, seed: int, first: int, count: int) -> tuple[list[Outcome], float]:
    """Return the outcomes of cells ``first`` to ``first + count - 1`` of one hunt, and their CPU seconds.

    Each cell has a generator of its own.
    """
    hunt, start = all_hunts()[name], time.process_time()
    outcomes = [ask(hunt(random.Random(f"{seed} {name} {index}"))) for index in range(first, first + count)]
    return outcomes, time.process_time() - start
