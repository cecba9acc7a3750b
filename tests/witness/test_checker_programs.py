"""The programs for witness files, and which of them a file is for."""

import json

import pytest
from program_files import examined
from tampering import change

from pldcheck.checkers import lower_adaptive, lower_composed, lower_single
from pldcheck.protocols import HiddenSlot
from pldcheck.witness import dumps, examine, of_question

PROGRAMS = {1: lower_single, 2: lower_composed, 3: lower_adaptive}
# A question for each of them.
QUESTIONS = {1: HiddenSlot(200, 1.0), 2: HiddenSlot(20, 1.0, epochs=3), 3: HiddenSlot(8, 1.0)}


@pytest.fixture(scope="module")
def facts():
    return {number: of_question(protocol, 1e-3) for number, protocol in QUESTIONS.items()}


@pytest.mark.parametrize("number", PROGRAMS)
def test_a_file_says_which_program_it_is_for(number, facts, tmp_path):
    assert facts[number]["pldcheck_witness"] == number
    path = tmp_path / "file.json"
    path.write_bytes(dumps(facts[number]))
    assert examine(path)[0]
    for other, program in PROGRAMS.items():
        assert examined(program, path)[0] == (other == number)
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
