"""Declarations of protocols: parameters, quantities, and makers in the rooms above for what they say they have."""

import pickle
from dataclasses import dataclass
from inspect import cleandoc
from typing import ClassVar

import pytest

from pldcheck.core.errors import ParameterError, Unsupported
from pldcheck.core.parameters import Parameter, Text
from pldcheck.protocols import PROTOCOLS, CheckIn, Gaussian, GaussianMean, HiddenSlot, Protocol
from pldcheck.protocols.base import QUANTITIES


@dataclass(frozen=True)
class Bare(Protocol):
    """Nothing."""

    steps: int
    name: ClassVar[str] = "bare"
    adjacencies: ClassVar[tuple[str, ...]] = ("any",)
    default_width: ClassVar[float] = 0.1


@pytest.mark.parametrize("kind", PROTOCOLS.values(), ids=PROTOCOLS)
def test_every_protocol_declares_itself(kind):
    assert issubclass(kind, Protocol) and kind.__doc__ and 0.0 < kind.default_width < 1.0
    assert any(kind.supports(quantity) for quantity in QUANTITIES)
    for name, parameter in kind.parameters().items():
        assert parameter.name == name and parameter.help and (isinstance(parameter, Text) or parameter.domain)
    assert all(isinstance(kind.parameters()[name], Parameter) for name in kind.directions)


def test_what_a_protocol_lacks_is_refused_with_a_reason():
    for kind in PROTOCOLS.values():  # what it has is documented without a look elsewhere
        for quantity in ("epsilon", "delta", "renyi", "error"):
            text = getattr(kind, quantity).__doc__
            assert all(f"{section}\n---" in cleandoc(text) for section in ("Parameters", "Returns", "Raises")), quantity
            assert "parameters are those of" not in text.lower()
    with pytest.raises(Unsupported, match="^gaussian-mean has no epsilon: its noise is chosen") as error:
        GaussianMean(10, 10).epsilon(1e-6)
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    for quantity in QUANTITIES:
        with pytest.raises(Unsupported, match=f"^bare has no {quantity}: "):
            Bare(3).answer(quantity, 0.1)
    with pytest.raises(Unsupported, match="^bare has no losses: "):
        Bare(3).losses(0.1)


def test_parameters_are_read_once_for_all():
    assert Bare("1e1").steps == 10 and HiddenSlot(10, 1).eps0 == 1.0 and CheckIn(10, 1.0).clients is None
    for make in (lambda: Bare(None), lambda: Bare(0), lambda: Gaussian(None), lambda: CheckIn(10, 1.0, None)):
        with pytest.raises(ParameterError):
            make()
    with pytest.raises(ParameterError, match="adjacency must be one of replace, zero-out, got 'add'"):
        HiddenSlot(10, 1.0, adjacency="add")


def test_witness_files_have_a_maker_where_a_protocol_says_so():
    from pldcheck import witness
    from pldcheck.witness.witness_files import has_maker

    assert all(has_maker(kind) == (not kind.unwritten) for kind in PROTOCOLS.values())
    with pytest.raises(Unsupported, match="^gaussian has no witness files: noise has no finite table"):
        witness.of_question(Gaussian(1.0), 1e-6)
    with pytest.raises(Unsupported, match="^bare has no witness files: "):
        witness.of_question(Bare(3), 1e-6)


def test_what_cannot_be_attacked_is_refused_with_a_reason():
    from pldcheck.study.attack import attack

    with pytest.raises(Unsupported, match="^bare has no attack: there are attacks on hidden-slot, check-in, "):
        attack(Bare(3), delta=1e-3)
