"""The verbs that answer one question: what they print, as text and as JSON."""

import math
import re
from dataclasses import fields

import pytest

from pldcheck import __version__
from pldcheck.core.adjacencies import NEIGHBOURS
from pldcheck.protocols import PROTOCOLS
from pldcheck.report.unicode_formulas import unicode_formula
from pldcheck.theorems import REGISTRY, REMARKS
from pldcheck.theorems.statements import STATEMENTS
from pldcheck.verification.suites import SUITES

HIDDEN_SLOT = ("hidden-slot", "--steps", "1e3", "--eps0", 1, "--weight", 0.5, "--adjacency", "zero-out")
CHECK_IN = ("check-in", "--steps", 1000, "--eps0", 1, "--check-in-prob", 0.5)
SLIDING_WINDOW = ("sliding-window", "--window", 1000, "--clients", 5000, "--eps0", 1)
PARAMS = {
    "hidden-slot": {"steps": 1000, "eps0": 1.0, "weight": 0.5, "adjacency": "zero-out", "epochs": 1}
    | {"delta0": 0.0, "randomizer": "worst"},
    "check-in": {"steps": 1000, "eps0": 1.0, "check_in_prob": 0.5, "epochs": 1, "clients": None}
    | {"delta0": 0.0, "randomizer": "worst"},
    "sliding-window": {"window": 1000, "clients": 5000, "eps0": 1.0, "delta0": 0.0},
}


@pytest.mark.parametrize("protocol", [HIDDEN_SLOT, CHECK_IN, SLIDING_WINDOW], ids=lambda words: words[0])
@pytest.mark.parametrize(("verb", "option"), [("eps", "delta"), ("delta", "epsilon")])
def test_interval_verbs_in_json(pldcheck, engine, protocol, verb, option):
    engine(0.25, 0.5)
    result = pldcheck(verb, *protocol, f"--{option}", "1e-6", "--json")
    assert (result.status, result.err, result.out.count("\n")) == (0, "", 1)
    facts = result.json
    keys = ["protocol", "params", option, "quantity", "lower", "upper", "budget", "witness", "seconds"]
    has_epochs = "epochs" in PARAMS[protocol[0]]
    assert list(facts) == keys[:3] + has_epochs * ["total_steps"] + keys[3:]
    assert facts["protocol"] == protocol[0] and facts["params"] == PARAMS[protocol[0]]
    assert (facts[option], facts["lower"], facts["upper"]) == (1e-6, 0.25, 0.5)
    assert set(facts["budget"]) == {"discretisation", "truncation", "rounding"}
    assert isinstance(facts["params"].get("steps", 1), int) and facts["seconds"] >= 0


def test_interval_verbs_in_text_round_outward(pldcheck, engine):
    engine(0.1305651, 0.1306039)
    result = pldcheck("eps", "check-in", "--steps", 1000, "--eps0", 1, "--delta", "1e-6")
    assert (result.status, result.err) == (0, "")
    assert result.out.splitlines() == [
        "epsilon in [0.130565, 0.130604], certified",
        "  of           check-in: steps 1000, eps0 1, check_in_prob 1, epochs 1, delta0 0, randomizer worst",
        "  at           delta = 1e-6, adjacency replace, any number of clients",
        "  width        0.03 %",
        "  lower bound  an explicit randomizer that attains it",
        "  upper bound  no randomizer exceeds it, not even an adaptive one; rounding included",
        "  time         0.0 s, not counting the start of Python",
    ]
    result = pldcheck("delta", *HIDDEN_SLOT, "--epsilon", 0.1)
    head, _, at, *_ = result.out.splitlines()
    assert head == "delta in [0.130565, 0.130604], certified"
    assert at.startswith("  at           epsilon = 0.1, adjacency zero-out")


@pytest.mark.parametrize(
    ("ends", "sources", "message"),
    [
        ((0.1, 0.2), ("a", "b"), "the two bounds come from different arguments; the methods here narrow it no further"),
        ((0.1, 0.2), ("a", "a"), "the two bounds come from one computation, on the finest grid that was tried"),
        (
            (0.0, 0.2),
            ("a", "b"),
            "next to 0 no relative accuracy is possible; a width asked for applies to delta",
        ),
        ((0.1, math.inf), ("a", "b"), "here no finite number is known from above"),
    ],
)
def test_a_missed_width_is_said_with_what_would_narrow_it(pldcheck, monkeypatch, ends, sources, message):
    from pldcheck.core.interval import Interval
    from pldcheck.protocols import CheckIn

    monkeypatch.setattr(CheckIn, "epsilon", lambda self, delta, width: Interval(*ends, sources=sources))
    lines = pldcheck("eps", *CHECK_IN, "--delta", "1e-6", "--width", 0.005).out.splitlines()
    assert lines[3].startswith("  width        ") and lines[3].endswith(" reached, 0.5 % asked")
    assert lines[4].startswith(f"  missed       {message}") and all(len(line) <= 100 for line in lines)
    # Who asks for no width is told of none that was asked, and of the default that is missed.
    plain = pldcheck("eps", *CHECK_IN, "--delta", "1e-6").out.splitlines()
    assert plain[3].startswith("  width        ") and "asked" not in plain[3] and "reached" not in plain[3]
    assert plain[3].endswith(", where 0.5 % is the default") == (0.0 < ends[0] and ends[1] < math.inf)
    assert plain[4].startswith(f"  because      {message}") and plain[5:] == lines[5:]
    both = [line for line in lines if " bound" in line and "come from" not in line]
    alike = ["  both bounds  a"]
    assert both == (alike if sources == ("a", "a") else ["  lower bound  a", "  upper bound  b"])


@pytest.mark.parametrize("protocol", ["check-in", "shuffle"])
def test_a_default_width_that_is_missed_by_little_is_said_in_the_line_of_the_width(pldcheck, monkeypatch, protocol):
    from pldcheck.core.interval import Interval
    from pldcheck.protocols import CheckIn, Shuffle

    for kind in (CheckIn, Shuffle):
        monkeypatch.setattr(kind, "epsilon", lambda self, delta, width: Interval(0.1, 0.102, sources=("a", "b")))
    number = "steps" if protocol == "check-in" else "clients"
    words = ("eps", protocol, f"--{number}", 1000, "--eps0", 1, "--delta", "1e-6")
    bare = pldcheck(*words).out
    default = "0.5" if protocol == "check-in" else "0.0001"
    assert f"\n  width        2 %, where {default} % is the default\n" in bare
    assert not any(word in bare for word in ("missed", "because", "asked"))
    text = " ".join(pldcheck(*words, "--width", "1e-4").out.split())
    assert "missed the two bounds come from different arguments; the methods here narrow it no further" in text
    assert ("that of a known randomizer is narrower" in text) == (protocol == "shuffle") and "more clients" not in text


def test_a_check_in_says_how_many_clients_are_covered(pldcheck):
    words = ("eps", "check-in", "--steps", 5, "--eps0", 1, "--delta", "1e-6")
    assert "adjacency replace, any number of clients\n" in pldcheck(*words).out
    assert "adjacency replace\n" in pldcheck(*words, "--clients", 3).out


def test_an_answer_says_how_records_are_sampled(pldcheck):
    numbers = ("--sigma", 2, "--rate", 0.1, "--steps", 3, "--delta", "1e-6")
    poisson = pldcheck("eps", "subsampled-gaussian", *numbers).out
    assert "delta = 1e-6, adjacency add-remove, Poisson sampling\n" in poisson
    fixed = pldcheck("eps", "subsampled-gaussian", *numbers, "--sampling", "fixed-size").out
    assert "delta = 1e-6, adjacency replace, sampling of fixed size, without replacement\n" in fixed
    responses = ("--eps0", 1, "--rate", 0.1, "--delta", "1e-6")
    assert "add-remove, Poisson sampling\n" in pldcheck("eps", "subsampled-randomized-response", *responses).out
    for mechanism, words in (
        ("subsampled-rr:1:0.1", ", Poisson sampling (a record added or removed)"),
        ("fixed-size-gaussian:2:0.1", ", sampling of fixed size, without replacement (a record replaced)"),
        ("gaussian:2", ""),
    ):
        text = " ".join(pldcheck("eps", "composition", "--mechanism", mechanism, "--delta", "1e-6").out.split())
        assert f"is stated for){words} " in text


@pytest.mark.nightly
def test_samples_of_fixed_size_name_both_arguments(pldcheck):
    words = ("eps", "subsampled-gaussian", "--sigma", 1, "--rate", 0.01, "--steps", 1000, "--delta", "1e-6")
    text = pldcheck(*words, "--sampling", "fixed-size").out
    assert "  because      the two bounds come from different arguments; " in text
    assert "  lower bound  data whose other records all equal one of the two that differ\n" in text
    assert "  upper bound  Zhu, Dong, Wang (2022), Proposition 30, which covers all data\n" in text
    # With all records in every sample, or with Poisson's samples, one computation has both bounds.
    for more in (("--rate", 1, "--sampling", "fixed-size"), ("--rate", 0.01)):
        text = pldcheck(*words[:4], *more, *words[8:]).out
        assert "  both bounds  Fourier inversion of the privacy loss, with all errors bounded\n" in text
    composed = ("eps", "composition", "--delta", "1e-6", "--mechanism")
    assert "\n  upper bound  Zhu" in pldcheck(*composed, "fixed-size-gaussian:1:0.01*10").out
    for mechanism in ("fixed-size-gaussian:1:1", "subsampled-gaussian:1:0.01*10"):
        assert "\n  both bounds" in pldcheck(*composed, mechanism).out


def test_width_reaches_the_engine(pldcheck, monkeypatch):
    from pldcheck.core.interval import Interval
    from pldcheck.protocols import CheckIn

    widths = []
    monkeypatch.setattr(CheckIn, "epsilon", lambda self, delta, width: widths.append(width) or Interval(0.1, 0.2))
    for more in ((), ("--width", "0.02")):
        assert pldcheck("eps", *CHECK_IN, "--delta", "1e-6", *more).status == 0
    assert widths == [0.005, 0.02]


@pytest.mark.parametrize("words", [HIDDEN_SLOT, CHECK_IN, SLIDING_WINDOW], ids=lambda words: words[0])
def test_the_real_engine_behind_the_verbs(pldcheck, words):
    facts = pldcheck("eps", *words, "--delta", "1e-6", "--json").json
    assert 0 < facts["lower"] <= facts["upper"] <= 1.01 * facts["lower"] and facts["witness"]
    back = pldcheck("delta", *words, "--epsilon", facts["upper"], "--json").json
    assert back["lower"] <= 1e-6


def test_zero_is_answered_as_zero(pldcheck):
    result = pldcheck("eps", "hidden-slot", "--steps", 10**6, "--eps0", 0.1, "--delta", 0.5)
    head, _, at, width, *_ = result.out.splitlines()
    assert (head, at) == ("epsilon in [0, 0], certified", "  at           delta = 0.5, adjacency replace")
    assert width.startswith("  width        0 ")


def test_the_bound_of_a_theorem_is_printed(pldcheck):
    words = ("bound", "thm-3.2", "--eps0", 1, "--steps", 1000, "--check-in-prob", 1, "--delta", "1e-6")
    result = pldcheck(*words, "--json")
    assert (result.status, result.err) == (0, "")
    assert list(result.json) == [
        "theorem",
        "params",
        "quantity",
        "value",
        "at",
        "epsilon",
        "delta_total",
        "conditions",
    ]
    assert result.json == REGISTRY["thm-3.2"](eps0=1, steps=1000, check_in_prob=1, delta=1e-6).to_dict()
    text = pldcheck(*words).out
    head, at, *source = text.splitlines()
    assert head == "epsilon ≤ 0.474926, claimed by thm-3.2 and not verified here"
    assert at == "  at           delta = 1e-6, adjacency replace" and source[0].startswith(
        "  source       Theorem 3.2, "
    )


def test_a_bound_outside_its_conditions_is_refused(pldcheck):
    result = pldcheck("bound", "thm-4.3-simple", "--eps0", 2, "--window", 1000, "--delta", "1e-6")
    assert (result.status, result.out) == (2, "")
    assert result.err == "pldcheck: thm-4.3-simple requires eps0 <= 1; eps0 = 2.0 exceeds it by 1\n"


def test_everything_that_there_is_is_listed(pldcheck):
    facts = pldcheck("list", "--json").json
    assert [entry["name"] for entry in facts["protocols"]] == list(PROTOCOLS)
    assert [entry["id"] for entry in facts["theorems"]] == list(REGISTRY)
    assert [entry["id"] for entry in facts["remarks"]] == list(REMARKS)
    assert [entry["id"] for entry in facts["statements"]] == list(STATEMENTS)
    assert [entry["name"] for entry in facts["suites"]] == list(SUITES)
    text = pldcheck("list").out
    assert all(
        re.search(rf"^  {re.escape(name)} +\w", text, re.M) for name in (*PROTOCOLS, *REGISTRY, *REMARKS, *STATEMENTS)
    )
    (line,) = re.findall(r"^  gaussian-mean .*$", text, re.M)
    assert line.endswith(" (For show, verify and job files: it has an error, and no eps, delta or renyi.)")
    # The key of a paper stands in brackets behind its theorems, and before its authors at the end.
    assert {entry["key"] for entry in facts["papers"]} == set(re.findall(r" \[(\w+)\]$", text, re.M))
    assert re.search(r"^  Balle20 +Balle, Kairouz, ", text, re.M)


@pytest.mark.parametrize("theorem", REGISTRY.values(), ids=lambda theorem: theorem.id)
def test_show_a_theorem(pldcheck, theorem):
    facts = pldcheck("show", theorem.id, "--json").json
    assert facts["id"] == theorem.id and facts["statement"] == theorem.statement
    assert [entry["name"] for entry in facts["parameters"]] == list(theorem.parameters)
    assert facts["source"]["where"] == theorem.source.where
    text, latex = pldcheck("show", theorem.id).out, pldcheck("show", theorem.id, "--latex").out
    assert theorem.statement in latex and not re.search(r"[\\$]", text)
    for words in (unicode_formula(theorem.statement), theorem.source.url, *facts["conditions"]):
        assert words in text


def test_show_remarks(pldcheck):
    for name, remark in REMARKS.items():
        facts = pldcheck("show", name, "--json").json
        assert (facts["id"], facts["kind"], facts["statement"]) == (name, remark.kind, remark.statement)
        assert facts["theorems"] == list(remark.theorems) and facts["source"]["where"] == remark.source.where
        text = pldcheck("show", name).out
        assert unicode_formula(remark.statement) in text and facts["state"] in text and not re.search(r"[\\$]", text)
    refusal = pldcheck("bound", "loss-2", "--epsilon", 1).err
    assert "loss-2 is a definition of a paper" in refusal and "pldcheck show loss-2" in refusal


def test_a_shown_theorem_has_the_words_of_protocols_and_explains_its_letters(pldcheck):
    lines = pldcheck("show", "vr-wang").out.splitlines()
    assert "adjacency   replace" in lines and lines[3].split() == ["κ", "=", "e^ε,", "x", "=", "e^ε₀"]
    assert "\\kappa = e^\\epsilon" in pldcheck("show", "vr-wang", "--latex").out
    assert not any("κ" in line for line in pldcheck("show", "thm-3.2").out.splitlines())


def test_show_statements(pldcheck):
    for name, statement in STATEMENTS.items():
        facts = pldcheck("show", name, "--json").json
        assert (facts["id"], facts["sentence"], facts["uses"]) == (name, statement.sentence, list(statement.uses))
        assert len(facts["proof"]) == len(statement.proof) and facts["proof"][0] == f"1. {statement.proof[0]}"
        text = " ".join(pldcheck("show", name).out.split())
        for words in (statement.sentence, statement.statement, *statement.conditions, *statement.proof):
            assert " ".join(words.split()) in text
        assert statement.source.url in text
    assert "laplace-noise/area" in pldcheck("show", "laplace-noise").out


@pytest.mark.parametrize("name", PROTOCOLS)
def test_show_a_protocol(pldcheck, name):
    facts = pldcheck("show", name, "--json").json
    text = " ".join(pldcheck("show", name).out.split())
    assert facts["name"] == name and facts["summary"] in text and not re.search(r"``|:\w+:`|\\\w", text)
    # The interval is about the protocol that stands here: all of the docstring, every parameter, who is a neighbour.
    for entry in fields(PROTOCOLS[name]):
        assert re.search(rf"\b{entry.name}: [^;]*", text)
    assert all(f"{one}: {NEIGHBOURS[one]}" in text for one in PROTOCOLS[name].adjacencies)
    assert all(len(line) <= 120 for line in pldcheck("show", name).out.splitlines())
    assert set(facts["theorems"]) == {theorem.id for theorem in REGISTRY.values() if theorem.protocol == name}


def test_a_shown_protocol_says_what_is_seen_and_what_is_left_at_its_default(pldcheck):
    text = " ".join(pldcheck("show", "shuffle").out.split())
    assert "the messages are seen in uniformly random order" in text and "krr:K (K-ary randomized response)" in text
    assert "randomizer: What each client runs: worst, " in text and "default 'worst'" in text
    assert "clients: number of clients n; an integer from 1 to 1e15; required" in text
    assert "adjacency replace: one record is changed for another" in text
    text = " ".join(pldcheck("show", "subsampled-gaussian").out.split())
    assert "sampling: How records are drawn, and which differ: with poisson one is added or removed" in text
    assert "; one of poisson, poisson-replaced, fixed-size; default 'poisson'" in text


def test_the_version_is_printed_and_a_call_without_words_prints_the_help(pldcheck):
    assert pldcheck("--version").out == f"pldcheck, version {__version__}\n"
    bare, with_help = pldcheck(), pldcheck("--help")
    assert bare == with_help and bare.status == 0 and "Examples:" in bare.out


def test_infinite_ends_are_texts_in_json(pldcheck, engine):
    engine(0.25, math.inf)
    words = ("eps", *HIDDEN_SLOT, "--delta", "1e-6")
    result = pldcheck(*words, "--json")
    assert (result.status, result.err) == (0, "")
    assert result.json["lower"] == 0.25 and result.json["upper"] == "inf" and "Infinity" not in result.out
    text = pldcheck(*words)
    assert (text.status, text.err) == (0, "") and text.out.startswith("epsilon in [0.25, inf], certified")
    assert 'infinite ends are "inf"' in " ".join(pldcheck("eps", "hidden-slot", "--help").out.split())
    engine(math.inf, math.inf)
    for more in ((), ("--json",)):
        result = pldcheck(*words, *more)
        assert (result.status, result.out) == (2, "") and "no finite epsilon at delta = 1e-6" in result.err
