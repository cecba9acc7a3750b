"""The accountant with Opacus' interface, alone and in a registry like that of Opacus."""

import abc
import pickle
import sys
from types import ModuleType, SimpleNamespace

import dp_accounting as dpa
import pytest

from pldcheck import pld
from pldcheck.accounting import Accountant, OpacusAccountant, register_with_opacus
from pldcheck.core.errors import ParameterError, Unsupported


def trained(*runs):
    accountant = OpacusAccountant()
    for noise, rate, count in runs:
        for _ in range(count):
            accountant.step(noise_multiplier=noise, sample_rate=rate)
    return accountant


@pytest.fixture
def registry(monkeypatch):
    """Return a stand-in of ``opacus.accountants.registry``: an abstract class, a table, and its two functions."""

    class IAccountant(abc.ABC):
        @abc.abstractmethod
        def step(self, *, noise_multiplier, sample_rate): ...

    table = {}

    def register_accountant(mechanism, accountant, force=False):
        if mechanism in table and not force:
            raise ValueError(f"accountant {mechanism} is already registered")
        table[mechanism] = accountant

    def create_accountant(mechanism):
        if mechanism not in table:
            raise ValueError(f"unknown accountant {mechanism}")
        return table[mechanism]()

    opacus, accountants, module = (ModuleType(f"opacus{end}") for end in ("", ".accountants", ".accountants.registry"))
    module.register_accountant, module.create_accountant = register_accountant, create_accountant
    accountants.IAccountant, accountants.registry, opacus.accountants = IAccountant, module, accountants
    for one in (opacus, accountants, module):
        monkeypatch.setitem(sys.modules, one.__name__, one)
    return module


@pytest.mark.nightly
def test_the_history_is_that_of_opacus():
    accountant = trained((1.0, 0.01, 3), (1.2, 0.01, 2), (1.0, 0.01, 1))
    assert accountant.history == [(1.0, 0.01, 3), (1.2, 0.01, 2), (1.0, 0.01, 1)] and len(accountant) == 6
    assert OpacusAccountant.mechanism() == "pldcheck" and len(OpacusAccountant()) == 0


@pytest.mark.nightly
def test_steps_at_another_rate_are_counted_apart():
    accountant = trained((1.0, 0.01, 2), (1.0, 0.02, 3))
    assert accountant.history == [(1.0, 0.01, 2), (1.0, 0.02, 3)]
    by_hand = pld.subsampled_gaussian(1.0, 0.01).compose(2).compose(pld.subsampled_gaussian(1.0, 0.02).compose(3))
    assert accountant.epsilon(1e-5) == by_hand.epsilon(1e-5)


def test_epsilon_is_that_of_the_composed_steps():
    accountant = trained((1.0, 0.01, 100), (2.0, 0.02, 1))
    by_hand = pld.subsampled_gaussian(1.0, 0.01).compose(100).compose(pld.subsampled_gaussian(2.0, 0.02))
    assert accountant.epsilon(1e-6) == by_hand.epsilon(1e-6)
    assert accountant.get_epsilon(1e-6) == accountant.get_epsilon(delta=1e-6) == by_hand.epsilon(1e-6).upper
    assert accountant.delta(0.5) == by_hand.delta(0.5)


@pytest.mark.nightly
def test_no_steps_no_noise_and_whole_batches():
    assert OpacusAccountant().get_epsilon(1e-5) == 0.0
    assert trained((0.0, 0.01, 1)).get_epsilon(1e-5) == float("inf")
    assert trained((2.0, 1.0, 4)).epsilon(1e-5) == Accountant().compose(dpa.GaussianDpEvent(2.0), 4).epsilon(1e-5)
    with pytest.raises(ParameterError, match="^sampling_probability must be"):
        trained((1.0, 1.5, 1)).get_epsilon(1e-5)
    with pytest.raises(ParameterError, match="^get_epsilon must be called with delta alone"):
        trained((1.0, 0.5, 1)).get_epsilon(1e-5, eps_error=0.01)


@pytest.mark.nightly
def test_a_checkpoint_is_loaded_again():
    accountant, other = trained((1.0, 0.01, 3), (1.2, 0.01, 2)), OpacusAccountant()
    state = pickle.loads(pickle.dumps(accountant.state_dict()))
    accountant.step(noise_multiplier=1.2, sample_rate=0.01)  # what is stored does not change
    other.load_state_dict(state)
    assert other.history == [(1.0, 0.01, 3), (1.2, 0.01, 2)]
    given = {"epoch": 3}
    assert accountant.state_dict(given) is given and given["mechanism"] == "pldcheck" and given["epoch"] == 3
    for bad in (None, {}, {"history": []}, {"mechanism": "pldcheck"}, {"history": [], "mechanism": "rdp"}):
        with pytest.raises(ValueError, match="^state_dict must be"):
            other.load_state_dict(bad)
    assert len(other) == 5


@pytest.mark.nightly
def test_the_hook_counts_accumulated_gradients():
    accountant = OpacusAccountant()
    hook = accountant.get_optimizer_hook_fn(sample_rate=0.01)
    hook(SimpleNamespace(noise_multiplier=1.5, accumulated_iterations=4))
    assert accountant.history == [(1.5, 0.04, 1)]


def test_the_registry_of_opacus_knows_it(registry):
    with pytest.raises(ValueError):
        registry.create_accountant("pldcheck")
    register_with_opacus()
    register_with_opacus()  # as when a cell of a notebook runs again
    accountant = registry.create_accountant("pldcheck")
    assert isinstance(accountant, OpacusAccountant) and isinstance(
        accountant, sys.modules["opacus.accountants"].IAccountant
    )
    # A search for noise, as that of opacus.accountants.utils, sets the history itself.
    accountant.history = [(1.0, 0.01, 10)]
    assert accountant.get_epsilon(delta=1e-5) == trained((1.0, 0.01, 10)).get_epsilon(1e-5)


@pytest.mark.nightly
def test_without_opacus_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "opacus.accountants", None)
    with pytest.raises(Unsupported, match=r"pip install 'pldcheck\[opacus\]'"):
        register_with_opacus()


@pytest.mark.nightly
def test_the_interface_of_opacus_where_it_is_installed():
    accountants = pytest.importorskip("opacus.accountants")
    from opacus.accountants.utils import get_noise_multiplier

    register_with_opacus()
    for name in accountants.IAccountant.__abstractmethods__:
        assert hasattr(OpacusAccountant, name)
    missing = [name for name in vars(accountants.IAccountant) if name[0] != "_" and not hasattr(OpacusAccountant, name)]
    assert missing == []
    sigma = get_noise_multiplier(
        target_epsilon=1.0, target_delta=1e-5, sample_rate=0.01, steps=100, accountant="pldcheck"
    )
    assert trained((sigma, 0.01, 100)).get_epsilon(1e-5) <= 1.0
