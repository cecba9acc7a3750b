"""Spoiled certificates of hidden slots: none is accepted that is false, and each has one line."""

from collections import Counter

import pytest

from .upper_certificates import fuzzed

SEED = 20261123


@pytest.mark.parametrize("files", [50, pytest.param(20_000, marks=pytest.mark.long)])
def test_no_spoiled_certificate_is_accepted_falsely(files):
    outcomes = list(fuzzed(files, SEED))
    assert [outcome for outcome in outcomes if outcome.kind in ("FALSE", "SLOW", "crash")] == []
    counts = Counter(outcome.kind for outcome in outcomes)
    assert min(counts[kind] for kind in ("accepted", "not verified", "refused")) > 0.03 * files
