"""The pytest plugin: options, the header line, the marker, and the fixture of stored results.

Loaded at every start of pytest where pldcheck is installed, so it imports nothing of pldcheck that computes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from shlex import quote
from typing import TYPE_CHECKING

import pytest

import pldcheck

from .. import testing
from . import plugin_settings

if TYPE_CHECKING:
    from .goldens import Goldens


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options ``--pldcheck-quick``, ``--pldcheck-workers``, ``--pldcheck-update``, and the ini setting."""
    group = parser.getgroup("pldcheck", "certified checks of privacy theorems")
    group.addoption("--pldcheck-quick", action="store_true", help="test only the first and the last value of each axis")
    group.addoption(
        "--pldcheck-workers", type=int, metavar="N", help="threads (default: one per processor, or 1 under xdist)"
    )
    group.addoption("--pldcheck-update", action="store_true", help="store goldens instead of comparing with them")
    parser.addini("pldcheck_results", "folder of goldens, from the root of the project", default="results")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and put the settings of the command line in force; raise UsageError where they conflict."""
    config.addinivalue_line("markers", "pldcheck: computes certified intervals")
    quick, workers = config.getoption("pldcheck_quick"), config.getoption("pldcheck_workers")
    if workers is not None and workers < 1:
        raise pytest.UsageError(f"--pldcheck-workers must be at least 1, got {workers}")
    if quick and config.getoption("pldcheck_update"):
        raise pytest.UsageError("--pldcheck-update needs whole grids; leave out --pldcheck-quick")
    if workers is None and hasattr(config, "workerinput"):
        workers = 1  # xdist already runs one process per processor
    before = plugin_settings.use(plugin_settings.Settings(quick, workers))

    def restore() -> None:
        plugin_settings.use(before)

    config.add_cleanup(restore)


def pytest_report_header() -> str:
    """Return the line with the version and the number of processors."""
    return f"pldcheck {pldcheck.__version__}, {os.cpu_count()} cores"


@pytest.fixture
def pldcheck_golden(request: pytest.FixtureRequest) -> Iterator[Goldens]:
    """Yield the stored certified results; a test calls ``pldcheck_golden.check(report_or_intervals, "name")``."""
    config = request.config
    folder = config.rootpath / config.getini("pldcheck_results")
    update, quick = config.getoption("pldcheck_update"), config.getoption("pldcheck_quick")
    yield testing.Goldens(folder, update, quick, f"pytest {quote(request.node.nodeid)} --pldcheck-update")
