"""The list of engine mutants fits the tree; ``python -m tests.mutants`` applies them."""

from ..places import ROOT
from .mutant import KINDS, all_mutants


def test_every_mutant_can_be_applied_and_names_a_test_that_exists():
    for mutant in all_mutants():
        assert mutant.apply(ROOT) != (ROOT / mutant.file).read_text(encoding="utf-8"), mutant.name
        assert mutant.kind in KINDS, mutant.name
        for test in mutant.tests:
            path, _, name = test.partition("::")
            function = name.partition("[")[0].rpartition("::")[2]
            assert function in (ROOT / path).read_text(encoding="utf-8"), mutant.name
