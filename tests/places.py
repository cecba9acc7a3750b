"""Paths of a checkout, for tests wherever they stand."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
# Runs of suites.
SUITES = RESULTS / "suites"
# Comparisons, waterfalls and trajectories.
FIGURES = RESULTS / "figures"
# What studies found out.
STUDY = RESULTS / "study"
