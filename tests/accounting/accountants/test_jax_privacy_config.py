"""The configuration of accountants for jax_privacy, alone and in its accounting of a training."""

import sys
from types import ModuleType

import dp_accounting as dpa
import pytest

from pldcheck.accounting import Accountant, jax_privacy_config
from pldcheck.core.errors import ParameterError, Unsupported


@pytest.fixture
def config_class(monkeypatch):
    """Return a stand-in of the class of configurations that jax_privacy asks for."""

    class PldAccountantConfig:
        def create_accountant(self):
            return dpa.pld.PLDAccountant()

    package, module = ModuleType("jax_privacy"), ModuleType("jax_privacy.accounting")
    package.accounting, module.PldAccountantConfig = module, PldAccountantConfig
    for one in (package, module):
        monkeypatch.setitem(sys.modules, one.__name__, one)
    return PldAccountantConfig


def test_each_accountant_begins_with_nothing(config_class):
    config = jax_privacy_config()
    assert isinstance(config, config_class)
    accountant = config.create_accountant()
    assert type(accountant) is Accountant
    event = dpa.PoissonSampledDpEvent(0.01, dpa.GaussianDpEvent(1.0))
    assert accountant.compose(event, 100).epsilon(1e-6) == Accountant().compose(event, 100).epsilon(1e-6)
    assert config.create_accountant().get_epsilon(1e-6) == 0.0


@pytest.mark.nightly
def test_a_bad_least_delta_is_refused_at_once(config_class):
    with pytest.raises(ParameterError, match="^delta must be"):
        jax_privacy_config(least_delta=-1.0)


@pytest.mark.nightly
def test_without_jax_privacy_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax_privacy.accounting", None)
    with pytest.raises(Unsupported, match=r"pip install 'pldcheck\[jax-privacy\]'"):
        jax_privacy_config()


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore")
def test_a_training_of_jax_privacy_has_the_epsilon_of_its_event():
    accounting = pytest.importorskip("jax_privacy.accounting")
    accountant = accounting.DpsgdTrainingAccountant(dp_accountant_config=jax_privacy_config())
    schedule = accounting.DpParams(
        noise_multipliers=[(0, 1.0), (300, 1.5)], batch_size=[(0, 512), (500, 256)], num_samples=60_000, delta=1e-5
    )
    by_hand = Accountant()
    for sigma, batch, steps in ((1.0, 512, 300), (1.5, 512, 200), (1.5, 256, 500)):
        by_hand.compose(dpa.PoissonSampledDpEvent(batch / 60_000, dpa.GaussianDpEvent(sigma)), steps)
    answer = by_hand.epsilon(1e-5)
    assert answer.lower < answer.upper == accountant.compute_epsilon(1000, schedule)
    # Batches are truncated only for a configuration of the class that jax_privacy asks for.
    truncated = accounting.DpParams(
        noise_multipliers=1.0, batch_size=512, num_samples=60_000, delta=1e-5, truncated_batch_size=600
    )
    event = dpa.dp_event.TruncatedSubsampledGaussianDpEvent(60_000, 512 / 60_000, 600, 1.0)
    exact = Accountant().compose(event, 1000).epsilon(1e-5)
    assert exact.lower < exact.upper == accountant.compute_epsilon(1000, truncated)
