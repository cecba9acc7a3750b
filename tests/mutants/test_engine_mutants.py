"""The list of engine mutants fits the tree; ``python -m tests.mutants`` applies them."""

import pytest

from ..places import ROOT
from .mutant import KINDS, all_mutants


@pytest.mark.parametrize("mutant", all_mutants(), ids=lambda mutant: mutant.name)
def test_a_mutant_can_be_applied_and_names_a_test_that_exists(mutant):
    assert mutant.applied(ROOT) != (ROOT / mutant.file).read_text(encoding="utf-8")
    assert mutant.kind in KINDS
    for test in mutant.test.split():
        path, _, name = test.partition("::")
        function = name.partition("[")[0].rpartition("::")[2]
        assert function in (ROOT / path).read_text(encoding="utf-8")
