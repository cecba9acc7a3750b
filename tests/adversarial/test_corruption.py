"""A thousand corrupted files: no row is silently different or gone."""

from collections import Counter

from .corruption import fuzzed

FILES, SEED = 1000, 20261122


def test_no_corrupted_file_is_silently_believed():
    outcomes = list(fuzzed(FILES, SEED))
    wrong = [outcome for outcome in outcomes if outcome.kind in ("SILENT", "crash")]
    assert wrong == []
    counts = Counter(outcome.kind for outcome in outcomes)
    # Nearly every change is one of a value; what is not, such as two equal lines swapped, is the same record.
    assert counts["noticed"] > 0.8 * FILES
