"""Three programs that stand alone, and which of them a file is for."""

import ast
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from tampering import change

from pldcheck.protocols import HiddenSlot
from pldcheck.witness import adaptive, checker, composed_checker, dumps, examine, of_question

PROGRAMS = {1: checker, 2: composed_checker, 3: adaptive}
# A question for each of them.
QUESTIONS = {1: HiddenSlot(200, 1.0), 2: HiddenSlot(20, 1.0, epochs=3), 3: HiddenSlot(8, 1.0)}


@pytest.fixture(scope="module")
def facts():
    return {number: of_question(protocol, 1e-3) for number, protocol in QUESTIONS.items()}


@pytest.mark.parametrize("number", PROGRAMS)
def test_each_checker_is_short_and_imports_only_the_standard_library(number):
    text = Path(PROGRAMS[number].__file__).read_text()
    assert len(text.splitlines()) < 250
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert not any(getattr(node, "level", 0) for node in nodes)
    names = {getattr(node, "module", None) or alias.name for node in nodes for alias in node.names}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


@pytest.mark.parametrize("number", PROGRAMS)
def test_checkers_run_alone_in_an_empty_folder(number, facts, tmp_path):
    (tmp_path / "file.json").write_bytes(dumps(facts[number]))
    (tmp_path / "other.json").write_text("{")
    command = [sys.executable, "-I", "-S", PROGRAMS[number].__file__]
    process = subprocess.run([*command, "file.json"], capture_output=True, text=True, cwd=tmp_path)
    assert (process.returncode, process.stderr) == (0, "") and process.stdout.startswith("file.json: accepted: ")
    process = subprocess.run([*command, "file.json", "other.json"], capture_output=True, text=True, cwd=tmp_path)
    assert (process.returncode, process.stderr) == (1, "") and "other.json: rejected: " in process.stdout
    assert subprocess.run(command, capture_output=True, cwd=tmp_path).returncode == 1


@pytest.mark.parametrize("number", PROGRAMS)
def test_a_file_says_which_program_it_is_for(number, facts, tmp_path):
    assert facts[number]["pldcheck_witness"] == number
    path = tmp_path / "file.json"
    path.write_bytes(dumps(facts[number]))
    assert examine(path)[0]
    for other, program in PROGRAMS.items():
        assert program.examine(path)[0] == (other == number)
        path.write_bytes(dumps({**facts[number], "pldcheck_witness": other}))
        assert examine(path)[0] == (other == number)
        path.write_bytes(dumps(facts[number]))


@pytest.mark.parametrize(
    "content", ["", "[]", "3", "{}", '{"pldcheck_witness": []}', '{"pldcheck_witness": 4}', "\x00"]
)
def test_a_file_for_no_checker_is_rejected_in_one_line(content, tmp_path):
    (tmp_path / "file.json").write_text(content)
    is_accepted, text = examine(tmp_path / "file.json")
    assert not is_accepted and text and "\n" not in text
    assert not examine(tmp_path / "none.json")[0] and not examine(tmp_path)[0]


@pytest.mark.parametrize("program", [composed_checker, adaptive], ids=["composed", "adaptive"])
@pytest.mark.parametrize("x", [0.0, 1e-12, 1.0, 20.0, 100.0])
def test_exponentials_are_bounded_on_both_sides(program, x):
    low, high = program.exp_lower(Fraction(x)), program.exp_upper(Fraction(x))
    with mpmath.workdps(120):
        truth = mpmath.exp(mpmath.mpf(x))
        assert mpmath.mpf(low.numerator) / low.denominator <= truth <= mpmath.mpf(high.numerator) / high.denominator
    assert high - low <= low * Fraction(1, 10**50)


def changes(value, path=()):
    """Yield the places of all that a file's program reads, but for words."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from (
                changes(inner, (*path, name)) if name not in ("pldcheck_witness", "of", "quantity", "kind") else ()
            )
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from changes(inner, (*path, place))
    else:
        yield path


@pytest.mark.parametrize("number", PROGRAMS)
def test_garbage_in_any_place_is_rejected_without_a_traceback(number, facts, tmp_path):
    path = tmp_path / "file.json"
    for place in changes(facts[number]):
        for value in (None, True, "x", -1, "-1", [], {}, float("nan"), float("inf"), "1/0", "1E-999999999", "1" * 5000):
            path.write_text(json.dumps(change(facts[number], place, value)))
            is_accepted, text = examine(path)
            assert "\n" not in text
            # Scores and limits may be what they like, as long as the sums are large enough.
            assert not is_accepted or {"scores", "policy", "cell"} & set(place), (place, value)


@pytest.mark.parametrize("number", PROGRAMS)
@pytest.mark.parametrize("key", ["epsilon", "delta", "relation", "adjacency", "delta_attained_at_least"])
def test_claims_that_are_not_shown_are_rejected(number, key, facts):
    new = {"epsilon": "1.5", "delta": "0.2", "relation": ">=", "adjacency": "both", "delta_attained_at_least": "0.2"}
    path = (key,) if key == "delta_attained_at_least" else ("claim", key)
    with pytest.raises((ValueError, KeyError)):
        PROGRAMS[number].check(change(facts[number], path, new[key]))
