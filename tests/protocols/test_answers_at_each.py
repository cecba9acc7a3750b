"""Questions at a number, a sequence, an array: intervals or tables, the same ones, and types that checkers know."""

from fractions import Fraction
from inspect import getdoc

import numpy as np
import pytest

from pldcheck import AnswerTable, Gaussian, HiddenSlot, Interval, ParameterError, RandomizedResponse, Shuffle
from pldcheck.protocols import PROTOCOLS, SubsampledGaussian

SEVERAL = [Gaussian(2.0, 3), RandomizedResponse(5, 0.5), HiddenSlot(10, 1.0), Shuffle(100, 1.0)]


@pytest.mark.nightly
@pytest.mark.parametrize("protocol", SEVERAL, ids=lambda one: one.name)
def test_a_sequence_has_the_answers_of_its_numbers(protocol):
    for listed in ([0.25, 0.125], (0.25, 0.125), np.array([0.25, 0.125]), iter([0.25, 0.125])):
        table = protocol.delta(listed)
        assert isinstance(table, AnswerTable) and (table.parameter, table.quantity) == ("epsilon", "delta")
        assert table.values == (0.25, 0.125)
        for value, one in table:
            alone = protocol.delta(value)
            assert max(one.lower, alone.lower) <= min(one.upper, alone.upper)
    table = protocol.epsilon(np.array([1e-3, 1e-6]))
    assert table.intervals == tuple(protocol.epsilon(delta) for delta in (1e-3, 1e-6))
    assert (table.parameter, table.quantity) == ("delta", "epsilon")
    signs = protocol.delta([-0.25, 0.25])
    assert signs.intervals == (protocol.delta(-0.25), protocol.delta(0.25))


def test_a_number_of_any_kind_has_an_interval():
    protocol = Gaussian(2.0)
    answer = protocol.delta(0.5)
    assert isinstance(answer, Interval)
    for one in ("0.5", np.float64(0.5), np.array(0.5), Fraction(1, 2)):
        assert protocol.delta(one) == protocol.delta(epsilon=one, width=1e-6) == answer
    assert protocol.delta("-0.5") == protocol.delta(-0.5) == protocol.delta(np.float32(-0.5))
    assert protocol.delta(-0.0) == protocol.delta(0.0)


@pytest.mark.nightly
def test_deltas_together_are_as_narrow():
    protocol = SubsampledGaussian(1.0, 0.01, 100)
    for value, one in protocol.delta([0.1, 0.2, 0.9]):
        alone = protocol.delta(value)
        assert max(one.lower, alone.lower) <= min(one.upper, alone.upper) and one.relative_width < 1e-3


@pytest.mark.nightly
@pytest.mark.parametrize("epsilon", [[], [[0.5]], [True], ["0.5"], [float("nan")], float("-inf"), None, "x"])
def test_what_is_no_number_is_refused(epsilon):
    with pytest.raises(ParameterError, match="^epsilon must be"):
        Gaussian(2.0).delta(epsilon)


@pytest.mark.nightly
def test_every_protocol_asks_at_each():
    for kind in PROTOCOLS.values():
        for quantity in ("epsilon", "delta"):
            if kind.supports(quantity):
                asked = getattr(kind, quantity)
                assert asked.__doc__.startswith(getdoc(asked.__wrapped__)) and "Returns\n---" in asked.__doc__


@pytest.mark.nightly
def test_type_checkers_know_the_answers(tmp_path):
    api = pytest.importorskip("mypy.api")
    file = tmp_path / "asked.py"
    file.write_text(
        "import numpy as np\n"
        "from pldcheck import Gaussian, HiddenSlot\n"
        "from pldcheck.protocols import Protocol\n"
        "one: Protocol = HiddenSlot(3, 1.0)\n"
        "reveal_type(Gaussian(1.0).epsilon(1e-6))\n"
        "reveal_type(Gaussian(1.0).epsilon([1e-6]))\n"
        "reveal_type(one.delta(np.array([1.0])))\n"
        "reveal_type(one.delta(epsilon=-1.0))\n"
        "reveal_type(one.tradeoff().tpr(0.5))\n"
        "reveal_type(one.tradeoff().fnr((0.5,)))\n"
    )
    output, errors, status = api.run([str(file)])
    assert (errors, status) == ("", 0), output
    types = [line.rpartition(".")[2].rstrip('"') for line in output.splitlines() if "Revealed" in line]
    assert types == ["Interval", "AnswerTable", "AnswerTable", "Interval", "Interval", "AnswerTable"]
