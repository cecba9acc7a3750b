"""The printed text of a bound is a bound."""

from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pldcheck.core.interval import Interval
from pldcheck.report.decimal_ends import down, outward, up, width

VALUES = st.floats(min_value=0.0, allow_infinity=False, allow_nan=False)
NORMAL = st.just(0.0) | st.floats(min_value=1e-290, allow_infinity=False)


@given(VALUES, st.integers(1, 17))
@example(0.1, 1)
@example(9.9999999, 6)
@example(5e-324, 6)
@example(1.7976931348623157e308, 1)
def test_down_and_up_enclose_and_are_close(value, digits):
    low, high = Decimal(down(value, digits)), Decimal(up(value, digits))
    assert low <= Decimal(value) <= high
    assert high - low <= Decimal(value) * Decimal(10) ** (1 - digits) * Decimal(1.0000001)


@given(NORMAL, NORMAL)
@example(0.3333333333333, 0.33333333333334)
def test_outward_encloses_and_hardly_widens(first, second):
    interval = Interval(min(first, second), max(first, second))
    lower, upper = map(Decimal, outward(interval))
    assert lower <= Decimal(interval.lower) and Decimal(interval.upper) <= upper
    exact = Decimal(interval.upper) - Decimal(interval.lower)
    assert upper - lower <= exact * Decimal("1.21") + Decimal(interval.upper) * Decimal("1e-15")


@pytest.mark.parametrize(
    ("ends", "texts"),
    [
        ((0.1305651, 0.1306039), ("0.130565", "0.130604")),
        ((0.0, 0.0), ("0", "0")),
        ((0.0, 1e-9), ("0", "1.00001e-9")),
        ((0.5, 5.0), ("0.5", "5")),
        ((1.23e-30, 1.24e-30), ("1.23e-30", "1.24e-30")),
        ((1e-5, float("inf")), ("1e-5", "inf")),
        ((0.13056512345, 0.13056512346), ("0.130565123449", "0.13056512346")),
    ],
)
def test_ends_are_printed_as_outward_decimals(ends, texts):
    assert outward(Interval(*ends)) == texts


def test_width_is_relative_where_that_is_finite():
    assert width(Interval(1.0, 1.0003)) == "0.03 %"
    assert width(Interval(0.0, 0.0)) == "0 %"
    assert width(Interval(0.0, 1e-9)) == "1.1e-9"
