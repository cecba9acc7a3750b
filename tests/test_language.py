"""The first lines of docstrings: a function says what it returns or does, and nothing begins in mid-sentence."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pldcheck

ROOT = Path(pldcheck.__file__).parent
# First words that begin a fragment of a sentence.
FRAGMENTS = {"As", "By", "How", "Likewise", "Of", "So", "That", "Those", "What", "Where", "Which"}
# The verbs with which docstrings of functions begin, in the imperative; the third person is allowed as well.
VERBS = set(
    """
    Add Append Apply Ask Assert Begin Build Call Change Check Collect Combine Compare Compile Complain Compose
    Compute Convert Copy Count Create Decide Declare Delete Describe Divide Draw Drop End Enter Evaluate Execute
    Fill Find Format Give Insert Install Join Judge Kill Leave Limit List Load Make Mark Measure Merge Move
    Multiply Open Parse Place Plot Print Project Prove Put Raise Read Record Refuse Register Remove Repeat
    Replace Report Require Return Run Save Scale Search Send Set Show Simulate Solve Sort Split Start Stop Store
    Subtract Sum Take Test Turn Update Use Verify Wait Warn Widen Write Yield
    """.split()
)
PROPERTIES = {"property", "cached_property", "functools.cached_property", "abstractproperty"}


def third_person(verb: str) -> str:
    """Return the third person of a verb."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "o")) else f"{verb}s"


BEGINNINGS = VERBS | {third_person(verb) for verb in VERBS}


def load_modules(tree: ast.Module) -> Iterator[tuple[str, str, bool]]:
    """Yield the name, the first word of the docstring, and whether it must be a verb, of all that has a docstring."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        words = (ast.get_docstring(node) or "").split()
        if words:
            decorators = {ast.unparse(one) for one in getattr(node, "decorator_list", ())}
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not decorators & PROPERTIES
            yield getattr(node, "name", "module"), words[0].rstrip(",:;."), is_function


def complaints(text: str) -> list[str]:
    """Return a line for each docstring of a module that breaks a rule."""
    return [
        f"{name}: {word}"
        for name, word, must_be_a_verb in load_modules(ast.parse(text))
        if word in FRAGMENTS or (must_be_a_verb and word not in BEGINNINGS)
    ]


def test_docstrings_begin_with_what_is_returned_or_done():
    files = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)
    assert files
    refusals = {str(file.relative_to(ROOT)): complaints(file.read_text(encoding="utf-8")) for file in files}
    assert {file: lines for file, lines in refusals.items() if lines} == {}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('def f():\n    """Return the sum."""', 0),
        ('def f():\n    """Verifies the sum."""', 0),
        ('def f():\n    """The sum."""', 1),
        ('def f():\n    """Of a sum, return the terms."""', 1),
        ('class A:\n    """A sum of terms."""', 0),
        ('class A:\n    """What a sum is."""', 1),
        ('class A:\n    @property\n    def f(self):\n        """The number of terms."""', 0),
        ('class A:\n    @property\n    def f(self):\n        """How many terms there are."""', 1),
        ('"""Likewise for sums."""', 1),
        ("def f():\n    pass", 0),
    ],
)
def test_the_rules_refuse_what_they_should(text, count):
    assert len(complaints(text)) == count
