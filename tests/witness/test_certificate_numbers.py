"""Numbers of the certificate programs: exp, ln, sqrt and normal probabilities are enclosed."""

from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf
from rough_decimals import draws, normal_truth, nudges, real, roughen

from pldcheck.checkers import claim_files, directed_decimals


@pytest.fixture
def rough(monkeypatch):
    """Rough decimals, so that a rounding in the wrong direction or a missing term shows."""
    with mpmath.workdps(60):
        roughen(monkeypatch, directed_decimals)
        yield


def encloses(ends, truth):
    low, high = map(real, ends)
    return low <= truth <= high and high - low <= mpf("1e-4") * (abs(truth) + 1)


def test_functions_are_enclosed(rough):
    for draw in draws(400):
        x = Fraction(draw.randrange(1, 10**9), 10 ** draw.randrange(4, 12))
        near = directed_decimals.ends(x)
        for ends, exact in ((near, x), (directed_decimals.ends(-x), -x), (1 - near, 1 - x)):
            assert Fraction(ends[0]) <= exact <= Fraction(ends[1])
        assert encloses(directed_decimals.log_ends(near), mpmath.log(real(x)))
        assert encloses(directed_decimals.sqrt_ends(near), mpmath.sqrt(real(x)))
        power = directed_decimals.exp_of(-x if x > 9 else x)
        assert encloses(power, mpmath.exp(real(-x if x > 9 else x)))


def test_operations_of_ends_are_outward(rough):
    for draw in draws(400):
        exact = [Fraction(draw.randrange(-(10**9), 10**9), 10 ** draw.randrange(4, 12)) for _ in range(2)]
        # A wide one, of which all numbers must be counted, and one next to a number.
        spread = abs(exact[0]) * draw.randrange(3)
        wide, near = directed_decimals.between(exact[0], exact[0] + spread), directed_decimals.ends(exact[1])
        positive, truth = directed_decimals.ends(abs(exact[1])), abs(exact[1])
        for x in (exact[0], exact[0] + spread):
            for found, value in (
                *((wide + near, x + exact[1]), (near + wide, x + exact[1]), (wide + 2, x + 2), (2 + wide, x + 2)),
                *((wide - near, x - exact[1]), (near - wide, exact[1] - x), (wide - 2, x - 2), (2 - wide, 2 - x)),
                *((wide * near, x * exact[1]), (near * wide, x * exact[1]), (wide * -2, -2 * x), (2 * wide, 2 * x)),
                *((wide / positive, x / truth), (2 / positive, 2 / truth), (wide / 3, x / 3), (-wide, -x)),
                (wide.at_least(2), max(x, 2)),
            ):
                assert Fraction(found.lower) <= value <= Fraction(found.upper)


def test_what_is_exact_by_chance_is_enclosed_with_the_next_decimals(rough):
    for exact in ("1", "0", "4"):
        low, high = directed_decimals.sqrt_ends((Decimal(exact), Decimal(exact)))
        assert low <= Decimal(exact).sqrt() <= high
    assert directed_decimals.exp_of(Fraction(0))[0] < 1 < directed_decimals.exp_of(Fraction(0))[1]
    assert directed_decimals.exp_of(Fraction(-(10**30)))[0] == 0 < directed_decimals.exp_of(Fraction(-(10**12)))[1]


def test_normal_tails_are_enclosed(rough):
    for draw in draws(600):
        x = Decimal(draw.randrange(-(10**7), 10**7)) / 10 ** draw.randrange(6, 9)
        low, high = map(real, directed_decimals.normal_tail((x, x)))
        truth = normal_truth(real(x))
        assert low <= truth <= high <= truth + mpf("0.01"), x


def test_far_normal_tails_are_narrow_in_relation(rough):
    for text in ("6.000001", "7.7", "9.1", "12.25", "15", "30"):
        low, high = map(real, directed_decimals.normal_tail((Decimal(text), Decimal(text))))
        assert low <= normal_truth(real(text)) <= high <= 1.2 * low


@pytest.mark.parametrize(
    "x",
    [
        "-8",
        "-1.23456789012345678901234567890123456789012345678901",
        "-0.3",
        "0",
        "1e-30",
        "0.5",
        "2",
        "5.99",
        "6",
        "6.01",
        "11",
        "40",
    ],
)
def test_normal_tails_have_ninety_digits(x):
    with mpmath.workdps(150):
        low, high = map(real, directed_decimals.normal_tail((Decimal(x), Decimal(x))))
        truth = normal_truth(mpf(x))
        assert low <= truth <= high and high - low <= mpf("1e-88") * (truth if float(x) > 6 else 1)


def test_normal_tails_of_an_interval_hold_for_both_ends(rough):
    for low, high in (("-0.01", "0.02"), ("-1", "-0.9"), ("0", "0.1"), ("5.9", "6.1"), ("6.5", "6.6")):
        ends = directed_decimals.normal_tail((Decimal(low), Decimal(high)))
        assert real(ends[0]) <= normal_truth(mpf(high)) and normal_truth(mpf(low)) <= real(ends[1])


# --- One operation errs by far, in its own direction: the ends must hold ---------------------------------------------


def test_no_operation_of_a_normal_tail_may_be_rounded_the_other_way(monkeypatch):
    with mpmath.workdps(110):
        monkeypatch.setattr(directed_decimals, "NOTHING", Decimal("1e-9"))
        monkeypatch.setattr(directed_decimals, "DEPTH", 300)
        for text in ("-7", "-0.4", "0", "1.25", "4", "6.5", "20"):
            x = Decimal(text)
            for low, high in nudges(monkeypatch, directed_decimals, lambda x=x: directed_decimals.normal_tail((x, x))):
                assert real(low) <= normal_truth(mpf(text)) <= real(high), text
        straddling = directed_decimals.Ends(Decimal("-1e-3"), Decimal("1e-3"))
        for low, high in nudges(monkeypatch, directed_decimals, lambda: directed_decimals.normal_tail(straddling)):
            assert real(low) <= normal_truth(mpf("0.001")) and normal_truth(mpf("-0.001")) <= real(high)


def test_no_operation_of_a_function_may_be_rounded_the_other_way(monkeypatch):
    for x in (Fraction(1, 3), Fraction(-7, 3), Fraction(22, 7)):
        for low, high in nudges(monkeypatch, directed_decimals, lambda x=x: directed_decimals.ends(x)):
            assert Fraction(low) <= x <= Fraction(high)
        for low, high in nudges(monkeypatch, directed_decimals, lambda x=x: 1 - directed_decimals.ends(x)):
            assert Fraction(low) <= 1 - x <= Fraction(high)


def test_the_rest_of_the_series_is_below_its_last_term(monkeypatch):
    with mpmath.workdps(110):
        monkeypatch.setattr(directed_decimals, "NOTHING", Decimal(10**9))
        for text in ("3", "5.5", "6"):
            low, high = map(real, directed_decimals.normal_tail((Decimal(text), Decimal(text))))
            assert low <= normal_truth(mpf(text)) <= high


def test_the_number_pi_is_enclosed():
    with mpmath.workdps(150):
        low, high = map(real, directed_decimals.TWO_PI_ENDS)
        assert low < 2 * mpmath.pi < high < low + mpf("1e-98")


@pytest.mark.parametrize(
    "content", [b"[NaN]", b"[-Infinity]", b'{"a": 1, "a": 2}', "[\u0661]".encode(), b'"\xc3\xa9"', b"[1] 2"]
)
def test_only_strict_json_in_ascii_is_read(content):
    assert claim_files.parse(b'{"a": [1]}') == {"a": [1]}
    with pytest.raises(ValueError):
        claim_files.parse(content)
