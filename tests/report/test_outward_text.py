"""Everything that is printed as an interval contains it: every repr, HTML, table, figure label and command line."""

import json
import random
import re
from decimal import Decimal
from math import inf, nextafter

import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from pldcheck.accounting.calibration.calibrated_value import Calibration, Trial, UnreachableError
from pldcheck.accounting.peers import known_point_results
from pldcheck.accounting.peers.peer_comparison import Comparison
from pldcheck.accounting.peers.peer_comparison import Row as PeerRow
from pldcheck.accounting.peers.peer_point import point
from pldcheck.core import outward_decimals
from pldcheck.core.interval import ErrorBudget, Interval
from pldcheck.pld.delta_curve import DeltaCurve
from pldcheck.pld.distribution import PrivacyLossDistribution
from pldcheck.protocols import AnswerTable, HiddenSlot
from pldcheck.report import report_tables
from pldcheck.report.run_table import notes
from pldcheck.study.simulate.empirical_values import Empirical
from pldcheck.study.waterfall.waterfall import Level, Waterfall
from pldcheck.verification import Report, Row, Verdict

NUMBER = r"-?(?:[0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|inf)"
BRACKETS = re.compile(rf"\[({NUMBER}), ({NUMBER})\]")
CELLS = re.compile(rf"<td>({NUMBER})</td><td>({NUMBER})</td></tr>")
AFTER_VERSION = re.compile(rf"<td>1</td><td>({NUMBER})</td><td>({NUMBER})</td>")
TABLE = re.compile(rf"<th>lower</th><td>({NUMBER})</td></tr><tr><th>upper</th><td>({NUMBER})</td>")

ENDS = st.floats(min_value=0.0, allow_infinity=False, allow_nan=False)
NEAR = st.integers(1, 4)


def intervals(many=60):
    """Return intervals whose ends do not end early in decimals, wide and narrow, subnormal ones among them."""
    draw = random.Random(20261122)
    cases = [Interval(5e-324, 1e-323), Interval(0.0, 5e-324), Interval(0.1, 0.1), Interval(2.0**-1060, 3e-310)]
    for _ in range(many):
        lower = draw.random() * 10.0 ** draw.randint(-320, 3)
        upper = nextafter(lower, inf) if draw.random() < 0.3 else lower * (1 + 10.0 ** -draw.randint(0, 15))
        cases.append(Interval(lower, max(lower, upper)))
    return cases


def encloses(pair, interval):
    low, high = map(Decimal, pair)
    return low <= Decimal(interval.lower) and Decimal(interval.upper) <= high


@given(ENDS, ENDS, st.sampled_from(["", ".1g", ".3g", ".9", ".17g", ".0f", ".3f", ".40f", ".0e", ".5e", "g"]))
@example(5e-324, 5e-324, ".1g")
@example(0.0, 5e-324, ".3f")
@example(1.7976931348623157e308, 1.7976931348623157e308, ".1g")
def test_any_format_of_an_interval_encloses_it(first, second, spec):
    interval = Interval(min(first, second), max(first, second))
    text = format(interval, spec)
    (pair,) = BRACKETS.findall(text)
    assert encloses(pair, interval)
    # Nothing is lost to a reader that has doubles.
    assert float(pair[0]) <= interval.lower and interval.upper <= float(pair[1])


@given(ENDS, NEAR)
@example(5e-324, 1)
@example(2.0**-1040, 3)
def test_narrow_intervals_are_hardly_widened(lower, steps):
    upper = lower
    for _ in range(steps):
        upper = nextafter(upper, inf)
    if upper == inf:
        return
    low, high = map(Decimal, outward_decimals.ends(lower, upper))
    assert low <= Decimal(lower) and Decimal(upper) <= high
    assert high - low <= 2 * (Decimal(upper) - Decimal(lower)) + Decimal(upper) * Decimal("2e-16")


@pytest.mark.parametrize("spec", ["d", ".g", ".4", "x", ".3r", "10.3g"])
def test_other_formats_are_refused_or_mean_digits(spec):
    if spec == ".4":
        assert format(Interval(1 / 3, 2 / 3), spec) == "[0.3333, 0.6667]"
        return
    with pytest.raises(ValueError, match="format of an interval"):
        format(Interval(1 / 3, 2 / 3), spec)


def test_an_infinite_end_is_said():
    assert str(Interval(1 / 3, inf)) == "epsilon in [0.333333, inf]"
    assert f"{Interval(1 / 3, inf):.3f}" == "[0.333, inf]"


def _html_of_interval(interval):
    return TABLE.findall(Interval(*interval, budget=ErrorBudget(0.1, 0.0, 1e-17))._repr_html_())


def _calibration(interval):
    trials = Trial(0.2, interval)
    answer = Calibration(HiddenSlot(10, 1.0), "eps0", 1.0, interval, 1.0, 1e-6, 0.1, (0, 1), trials, trials, 1, 1.0)
    return BRACKETS.findall(repr(answer) + answer._repr_html_())


def _unreachable(interval):
    return BRACKETS.findall(str(UnreachableError("eps0", 1.0, 1e-6, "(0, 1)", Trial(0.2, interval))))


def _waterfall(interval):
    return CELLS.findall(Waterfall("thm-3.2", {}, (Level("L0", "x", interval),))._repr_html_())


def _peers(interval):
    row = PeerRow("a", "1", "answered", *interval, None, "", 0.0, "", None, "")
    comparison = Comparison(point(HiddenSlot(10, 1.0), 1e-6), "replace", interval, 1.0, (row,))
    line = repr(comparison).splitlines()[-1].split()
    return BRACKETS.findall(repr(comparison)) + [tuple(line[2:4])] + AFTER_VERSION.findall(comparison._repr_html_())


def _known_points(interval):
    return BRACKETS.findall(known_point_results._ends(*interval))


def _curve(interval):
    curve = DeltaCurve([0.5], [interval.lower], [interval.upper])
    return CELLS.findall(curve._repr_html_()) + BRACKETS.findall(repr(curve))


def _interval(interval):
    # What a program reads again are the doubles themselves, in the shortest text that stands for them.
    (exact,) = re.findall(rf"lower=({NUMBER}), upper=({NUMBER})", repr(interval))
    assert tuple(map(float, exact)) == tuple(interval)
    assert Interval.from_dict(json.loads(json.dumps(interval.to_dict()))) == interval
    return BRACKETS.findall(str(interval))


def _table(interval):
    table = AnswerTable("sigma", (1.0,), (interval,))
    return BRACKETS.findall(str(table) + table._repr_html_())


class _Loss(PrivacyLossDistribution):
    __slots__ = ("told",)

    def epsilon(self, delta, width=1e-6):
        return self.told


def _loss(interval):
    loss = _Loss("x", ())
    object.__setattr__(loss, "told", interval)
    return CELLS.findall(loss._repr_html_())


def _row(interval, verdict=Verdict.VIOLATED):
    return Row("thm-3.2", {"steps": 3}, verdict, 1.0, interval.lower, interval.upper)


def _tables(interval):
    return [report_tables.row_ends(_row(interval))]


def _notes(interval):
    return BRACKETS.findall("\n".join(notes(Report("x", (_row(interval),), {}))))


def _empirical(interval):
    return BRACKETS.findall(str(Empirical(interval.lower, *interval, "x", 1, 0.9, "m", True)))


PRINTERS = [
    _html_of_interval,
    _interval,
    _table,
    _calibration,
    _unreachable,
    _waterfall,
    _peers,
    _known_points,
    _curve,
    _loss,
    _tables,
    _notes,
    _empirical,
]


@pytest.mark.parametrize("show", PRINTERS)
def test_what_is_shown_encloses(show):
    for interval in intervals():
        pairs = show(interval)
        assert pairs, show
        assert all(encloses(pair, interval) for pair in pairs), (interval, pairs)


def test_the_picture_of_a_waterfall_says_upper_ends():
    from pldcheck.study.waterfall.waterfall_figure import figure

    for interval in intervals(12)[4:]:
        picture = figure(Waterfall("thm-3.2", {}, (Level("L0", "x", interval),)))
        (text,) = [text.get_text() for text in picture.axes[0].texts]
        match = re.fullmatch(rf"≤ ({NUMBER})", text)
        assert Decimal(interval.upper) <= Decimal(match[1])


@pytest.mark.parametrize("verb", ["eps", "delta", "renyi"])
def test_command_lines_enclose(verb, monkeypatch):
    from pldcheck.cli import eps_delta_renyi
    from pldcheck.protocols import Gaussian

    quantity, at = {"eps": ("epsilon", "delta"), "delta": ("delta", "epsilon"), "renyi": ("renyi", "order")}[verb]
    command = eps_delta_renyi._answer_builder(verb, quantity, at)(Gaussian)
    words = ["--sigma", "1", f"--{at}", {"delta": "1e-6", "epsilon": "0.5", "order": "3"}[at]]
    for interval in intervals(20):
        monkeypatch.setattr(Gaussian, quantity, lambda self, *at, interval=interval: interval, raising=False)
        (pair,) = BRACKETS.findall(CliRunner().invoke(command, words, catch_exceptions=False).output)
        assert encloses(pair, interval)


def test_waterfalls_on_a_terminal_enclose(monkeypatch):
    from pldcheck.cli import explain

    words = ["--steps", "10", "--eps0", "1", "--check-in-prob", "1", "--delta", "1e-6"]
    for interval in intervals(20):
        fall = Waterfall("thm-3.2", {"delta": 1e-6, "eps0": 1.0}, (Level("L0", "x", interval),))
        monkeypatch.setattr("pldcheck.study.waterfall.waterfall.waterfall", lambda *names, fall=fall, **values: fall)
        output = CliRunner().invoke(explain.waterfall_group.commands.get("thm-3.2") or explain._waterfall_command(
            explain.REGISTRY["thm-3.2"]), words, catch_exceptions=False).output  # fmt: skip
        _, line, *_ = output.splitlines()
        pairs = BRACKETS.findall(line)
        if pairs:
            assert encloses(pairs[0], interval)
        else:
            match = re.match(rf"L0  (?:at most )?({NUMBER})", line)
            assert Decimal(interval.upper) <= Decimal(match[1])


def test_no_interval_is_formatted_to_the_nearest_in_the_sources():
    """A lower or an upper end with a format of its own is rounded to the nearest: down and up are there for it."""
    from pathlib import Path

    import pldcheck

    nearest = re.compile(r"\{[^{}]*\b(?:lower|upper)\b[^{}()/]*:[<>^]?[0-9]*\.?[0-9]*[gef]\}")
    root = Path(pldcheck.__file__).parent
    offences = [
        f"{path.relative_to(root)}:{number}"
        for path in root.rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if nearest.search(line)
    ]
    assert offences == []


@pytest.mark.parametrize("text", ["a\x1b[31mb", "a\u202eb", "\ud800", "a\nb", "a\x00b", "a\x9bb", "\u2066x", "\ufeff"])
def test_nothing_that_moves_a_cursor_or_turns_text_is_shown(text):
    safe_text = outward_decimals.safe(text)
    assert safe_text.isprintable() and safe_text.encode() and "\\u{" in safe_text


def test_what_is_safe_stays_as_it_is():
    text = "ε ≤ 0.5, Müller; x\u00a0y\u202fz"
    assert outward_decimals.safe(text) == text
    assert outward_decimals.safe_lines("a\nb\x07") == "a\nb\\u{7}"


def test_infinities_are_texts_in_json():
    assert outward_decimals.plain({"a": [inf, -inf, 1.0], "b": (1, None, "x")}) == {
        "a": ["inf", "-inf", 1.0],
        "b": [1, None, "x"],
    }
    with pytest.raises(ValueError, match="JSON"):
        outward_decimals.plain({"a": float("nan")})
