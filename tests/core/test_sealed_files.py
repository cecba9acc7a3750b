"""Sealed records: one digest of all values, and no key that stands twice."""

import json

import pytest

from pldcheck.core import sealed_files


def test_a_key_that_stands_twice_is_refused():
    text = json.dumps(sealed_files.seal({"lower": 1.0, "upper": 2.0}))
    assert sealed_files.unseal(text)["upper"] == 2.0
    # the last one counts for the digest, the first one for who reads from the left
    twice = text.replace('"upper": 2.0', '"upper": 3.0, "upper": 2.0')
    with pytest.raises(sealed_files.DamageError, match="twice"):
        sealed_files.unseal(twice)


def test_any_other_value_has_another_digest():
    whole = sealed_files.seal({"lower": 1.0, "rows": [1, 2], "more": {"a": None}})
    for other in ({"lower": 1.0 + 2.0**-52}, {"rows": [2, 1]}, {"rows": [1, 2, 2]}, {"more": {"a": False}}):
        with pytest.raises(sealed_files.DamageError, match="digest"):
            sealed_files.unseal(json.dumps({**whole, **other}))
