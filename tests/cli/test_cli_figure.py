"""``figure`` on the command line."""

import json

import pytest
from stored_results import full, put, rows_of_every_kind

from pldcheck.cli import figure
from pldcheck.study import comparisons


def test_the_names_of_all_figures(pldcheck):
    listing, bare = pldcheck("figure", "--list"), pldcheck("figure")
    assert listing == bare and (bare.status, bare.err) == (0, "")
    assert [line.split()[0] for line in bare.out.splitlines()] == list(figure.FIGURES)
    assert [entry["name"] for entry in pldcheck("figure", "--json").json["figures"]] == list(figure.FIGURES)
    assert set(comparisons.COMPARISONS) < set(figure.FIGURES)


@pytest.mark.parametrize(
    ("name", "stems"),
    [
        ("krr", ["krr"]),
        ("waterfall", ["waterfall-thm-3.2"]),
        ("trajectories", ["random-replacement-CF"]),
        ("tightness", ["mixed-tightness"]),
        ("heat", ["mixed-heat"]),
        ("size", ["mixed-size"]),
    ],
)
def test_every_kind_is_drawn_from_what_is_stored(pldcheck, tmp_path, name, stems):
    full(tmp_path / "results")
    result = pldcheck("figure", name, "--out", "drawn")
    files = [f"{stem}.{suffix}" for stem in stems for suffix in ("svg", "png")]
    assert (result.status, result.err, result.out.splitlines()) == (0, "", [f"drawn/{file}" for file in files])
    for file in files:
        content = (tmp_path / "drawn" / file).read_bytes()
        assert content.startswith(b"\x89PNG" if file.endswith("png") else b"<?xml")


@pytest.mark.long
def test_a_figure_is_the_one_that_was_drawn_when_it_was_computed(pldcheck, tmp_path):
    words = (
        ("compare", "figure-2", "--quick"),
        ("waterfall", "thm-A.7", "--clients", 100, "--eps0", 1, "--delta", "1e-6"),
        ("trajectory", "random-replacement", "--steps", 50, "--eps0", 1),
        ("verify", "--quick", "--theorem", "thm-3.2"),
    )
    for line in words:
        assert pldcheck(*line, "--out", "results").status == 0
    first = {
        path.name: path.read_bytes() for path in (tmp_path / "results").iterdir() if path.suffix in (".svg", ".png")
    }
    for name in ("figure-2", "waterfall", "trajectories", "tightness", "epsilon"):
        assert pldcheck("figure", name, "--out", "drawn").status == 0
    assert {path.name: path.read_bytes() for path in (tmp_path / "drawn").iterdir()} == first
    assert len(first) == 10


@pytest.mark.parametrize(
    ("name", "maker"),
    [
        ("rounds", "pldcheck compare rounds --out res"),
        ("waterfall", "pldcheck waterfall THEOREM ... --out res"),
        ("trajectories", "pldcheck trajectory ALGORITHM ... --out res"),
        ("privacy", "pldcheck verify --out res"),
    ],
)
def test_what_is_missing_names_the_command_that_makes_it(pldcheck, tmp_path, name, maker):
    put(tmp_path / "res", "mixed", rows_of_every_kind())
    result = pldcheck("figure", name, "--from", "res", "--out", "drawn")
    assert (result.status, result.out, result.err.count("\n")) == (2, "", 1)
    assert result.err.endswith(f"they are made by: {maker}\n") and not (tmp_path / "drawn").exists()


@pytest.mark.nightly
def test_unknown_figures_are_refused_in_one_line(pldcheck, tmp_path):
    assert "unknown figure 'figure-3'; did you mean figure-2" in pldcheck("figure", "figure-3").err
    assert "folder must be one with stored results" in pldcheck("figure", "krr").err
    full(tmp_path / "results")
    assert pldcheck("figure", "krr", "--out", "/dev/null/x").status == 2
    (tmp_path / "results" / "krr.json").write_text(json.dumps({"comparison": "krr"}))
    result = pldcheck("figure", "krr")
    assert result.status == 2 and result.err.count("\n") == 1 and "krr.json is left out" in result.err
