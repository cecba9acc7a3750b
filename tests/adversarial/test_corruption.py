"""Corrupted files, a thousand of them at night: no row is silently different or gone."""

from collections import Counter

import pytest

from .corruption import fuzz

SEED = 20261122


@pytest.mark.parametrize("files", [80, pytest.param(1000, marks=pytest.mark.nightly)])
def test_no_corrupted_file_is_silently_believed(files):
    outcomes = list(fuzz(files, SEED))
    wrong = [outcome for outcome in outcomes if outcome.kind in ("SILENT", "crash")]
    assert wrong == []
    counts = Counter(outcome.kind for outcome in outcomes)
    # Nearly every change is one of a value; what is not, such as two equal lines swapped, is the same record.  Of a
    # database's bytes a part is free.
    assert counts["noticed"] > 0.8 * files
