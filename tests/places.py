"""Paths of a checkout, for tests wherever they stand."""

import atexit
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def _stored_results() -> Path:
    """Return a copy of the stored results, without what commands of a user have left beside them in ``runs``."""
    folder = Path(tempfile.mkdtemp(prefix="pldcheck-results-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(ROOT / "results", folder / "results", ignore=shutil.ignore_patterns("runs", "*.sqlite", ".*.lock"))
    return folder / "results"


# The stored results, which tests only read.
RESULTS = _stored_results()
# Runs of suites.
SUITES = RESULTS / "suites"
# Comparisons, waterfalls and trajectories.
FIGURES = RESULTS / "figures"
# What studies found out.
STUDY = RESULTS / "study"
