"""``compare`` on the command line."""

import json
import re
import sys
from inspect import signature

import pytest

from pldcheck.cli import compare, comparison_table
from pldcheck.core.parameters import PARAMETERS
from pldcheck.study import comparisons
from pldcheck.study.comparisons.comparison import heads
from pldcheck.theorems import REGISTRY


def test_names_are_those_of_the_modules_that_are_not_imported_for_help():
    assert list(compare.ABOUT) == list(comparisons.COMPARISONS) == list(comparisons.QUICK)


def test_a_comparison_in_text_json_and_files(pldcheck, tmp_path):
    result = pldcheck("compare", "figure-2", "--quick", "--out", "drawn")
    assert (result.status, result.err) == (0, "")
    title, constants, *lines = result.out.splitlines()
    assert title == "Epsilon after shuffling: Figure 2 of Balle et al. (2020)" and constants == "at delta = 1e-6"
    assert lines[0].split() == "n eps0 efmrtt-7 thm-5.1 fmt21-3.1 fmt22-closed clones stronger truth".split()
    # Theory sheet 4, section 5.1, n = 1000, eps0 = 1: .18241 and .14867 to nearest; upper bounds are rounded up.
    assert lines[3].split()[:6] == ["1000", "1", "4.874*", "1.3097*", "0.5662", "0.48759"]
    assert lines[3].split()[6:9] == ["0.18242", "0.14868", "[0.13056,"]
    assert len({len(line) for line in lines[:4]}) == 1
    legend = " ".join(lines[4:-3])
    assert legend.startswith("n: clients; ") and "for the worst eps0-DP randomizer; *: above eps0" in legend
    stem = "drawn/figure-2-quick"
    assert lines[-3:] == [f"{stem}.json", f"{stem}.svg", f"{stem}.png"]
    facts = json.loads((tmp_path / f"{stem}.json").read_text())
    del facts["kind"], facts["format"], facts["digest"]
    output = pldcheck("compare", "figure-2", "--quick", "--json").json
    assert output.pop("files") == [] and output == facts
    assert list(output) == ["comparison", "title", "params", "rows"]


@pytest.mark.nightly
def test_the_whole_of_it_has_a_name_of_its_own(pldcheck, tmp_path, monkeypatch):
    small = {"figure-2": lambda progress: comparisons.figure_2(clients=[100], eps0=[0.5], progress=progress)}
    monkeypatch.setattr(comparisons, "COMPARISONS", small)
    assert pldcheck("compare", "figure-2", "--out", ".").status == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["figure-2.json", "figure-2.png", "figure-2.svg"]


@pytest.mark.parametrize("name", ["table-1", "krr"])
def test_flags_are_shown_as_words_and_missing_numbers_as_dashes(pldcheck, name):
    result = pldcheck("compare", name, "--quick")
    assert "at delta = " in result.out and "table: the exponent in" in result.out or "false: whether" in result.out
    _, _, *lines = result.out.splitlines()
    if name == "krr":
        assert [line.split()[-1] for line in lines[1:4]] == ["no", "no", "yes"]
    else:
        assert lines[1].startswith("uniform subsampling  eps0 <= 1 ")
        assert "conclusion, for eps0 > 1: the bounds lose with eps0, and not with n" in " ".join(lines[-4:])
        assert [line.split()[-5] for line in lines if line.startswith("fmt21")] == ["-", "-"]


def test_every_comparison_explains_its_columns():
    assert list(comparison_table.LEGENDS) == list(comparisons.COMPARISONS)
    for name, legend in comparison_table.LEGENDS.items():
        kind = signature(comparisons.COMPARISONS[name]).return_annotation
        row = vars(sys.modules[comparisons.COMPARISONS[name].__module__])[kind.removeprefix("Comparison[")[:-1]]
        known = {*comparison_table.BOUNDS.get(name, ())} - set(heads(row))
        assert not known
        for field, head in heads(row).items():
            word = head.removesuffix(" lower").removesuffix(" upper")
            theorem = word in REGISTRY or word in ("girgis-lb", "fmt21-3.1+KOV", "bound", "regime")
            assert theorem or word in PARAMETERS or re.search(rf"\b{re.escape(word)}\b", legend), (name, field)


@pytest.mark.nightly
def test_what_all_rows_share_stands_above_them(pldcheck):
    title, constants, head, *_ = pldcheck("compare", "population", "--quick").out.splitlines()
    assert title.startswith("Random check-ins") and constants == "at eps0 = 1, delta = 1e-6" and head.split()[0] == "m"


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (0.9999998, "1-2e-07"), (1.0 + 2e-11, "1+2e-11"), (0.99994, "0.99994"), (True, "yes"), (3, "3")],
)
def test_a_number_next_to_one_stays_on_its_side(value, text):
    assert comparison_table._text(value) == text


@pytest.mark.nightly
def test_unknown_comparisons_are_refused_in_one_line(pldcheck, tmp_path):
    result = pldcheck("compare", "figure-3")
    assert result.status == 2 and "unknown comparison or protocol 'figure-3'; did you mean figure-2" in result.err
    assert "comparison or protocol missing; known: figure-2, table-1, rounds, krr" in pldcheck("compare").err
    (tmp_path / "file").write_text("")
    result = pldcheck("compare", "rounds", "--out", "file")
    assert result.status == 2 and "file" in result.err and result.out == ""
