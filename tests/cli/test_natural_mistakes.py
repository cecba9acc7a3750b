"""Natural mistakes, kept as data: each is understood, or its refusal says in one line what is to be typed."""

import shlex
import tomllib
from pathlib import Path

import pytest

import pldcheck as package

MISTAKES = tomllib.loads((Path(__file__).parent / "natural_mistakes.toml").read_text(encoding="utf-8"))["mistake"]
NAMES = {"pldcheck": package, **{name: getattr(package, name) for name in package.__all__}}
# The least number of mistakes, and the least share of them that is understood or told what to type.
LEAST, SHARE = 150, 0.9


def without_time(text):
    return [line for line in text.splitlines() if not line.lstrip().startswith("time ")]


def understood(mistake, pldcheck):
    """Return whether a mistake has the answer of what it stands for."""
    if "python" in mistake:
        return eval(mistake["python"], dict(NAMES)) == eval(mistake["as"], dict(NAMES))
    result, meant = (pldcheck(*shlex.split(words)) for words in (mistake["line"], mistake["as"]))
    return result.status == meant.status == 0 and without_time(result.out) == without_time(meant.out)


def refusal(mistake, pldcheck):
    """Return the line that refuses a mistake; a text of more lines, or none, if it is not refused so."""
    if "python" in mistake:
        try:
            return f"{eval(mistake['python'], dict(NAMES))!r} is no refusal"
        except Exception as error:
            return str(error)
    result = pldcheck(*shlex.split(mistake["line"]))
    return result.err.removesuffix("\n") if (result.status, result.out) == (2, "") else ""


def test_natural_mistakes_are_told_what_to_type(pldcheck):
    for mistake in MISTAKES:
        if "as" not in mistake:
            said = refusal(mistake, pldcheck)
            assert mistake.get("type", mistake.get("wrong")) in said and "\n" not in said, (mistake, said)
    told = [mistake for mistake in MISTAKES if "wrong" not in mistake]
    assert len(MISTAKES) >= LEAST and len(told) >= SHARE * len(MISTAKES), (len(told), len(MISTAKES))
    assert len({mistake.get("line") or mistake["python"] for mistake in MISTAKES}) == len(MISTAKES)


@pytest.mark.nightly
def test_names_of_elsewhere_have_the_answers_of_those_here(pldcheck):
    for mistake in MISTAKES:
        assert "as" not in mistake or understood(mistake, pldcheck), mistake
