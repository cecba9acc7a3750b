"""An accountant with the interface of Opacus' accountants, whose epsilon is a certified upper end.

The class has the interface by itself, so that it can be used and loaded without Opacus.  ``register_with_opacus`` puts
it into the registry of Opacus, next to its own ``rdp``, ``gdp`` and ``prv``.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, MutableMapping
from typing import Any

from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent

from ...core.errors import ParameterError, Unsupported
from ...core.interval import Interval
from .privacy_accountant import Accountant

# The name under which the accountant is registered.
NAME = "pldcheck"
# What is stored of an accountant, by the names that Opacus gives them.
STORED = ("history", "mechanism")


class OpacusAccountant:
    """Count the steps of a training with Opacus: Gaussian noise on Poisson samples, for a record added or removed.

    ``history`` is what Opacus' accountants have: a list of the noise multiplier, the sample rate, and the number of
    steps in a row that had both.

    Examples
    --------
    >>> accountant = OpacusAccountant()
    >>> for _ in range(100):
    ...     accountant.step(noise_multiplier=1.0, sample_rate=0.01)
    >>> len(accountant), accountant.history
    (100, [(1.0, 0.01, 100)])
    >>> print(accountant.epsilon(delta=1e-6))
    epsilon in [...]

    With Opacus, ``register_with_opacus()`` makes it known to ``PrivacyEngine(accountant="pldcheck")``, and to
    ``get_noise_multiplier``.

    """

    def __init__(self) -> None:
        self.history: list[tuple[float, float, int]] = []

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """Count one step of the optimizer."""
        if self.history and self.history[-1][:2] == (noise_multiplier, sample_rate):
            self.history[-1] = (noise_multiplier, sample_rate, self.history[-1][2] + 1)
        else:
            self.history.append((noise_multiplier, sample_rate, 1))

    def epsilon(self, delta: float) -> Interval:
        """Return the smallest epsilon of all steps at this delta, as an interval.

        Raises
        ------
        ParameterError
            If ``delta``, or the noise or the rate of a step, is out of its range.

        """
        return self._accountant().epsilon(delta)

    def delta(self, epsilon: float) -> Interval:
        """Return the smallest delta of all steps at this epsilon, as an interval."""
        return self._accountant().delta(epsilon)

    def get_epsilon(self, delta: float, *args: Any, **kwargs: Any) -> float:
        """Return the certified upper end of epsilon.

        Arguments that other accountants take, such as orders or errors that are granted, are refused.
        """
        if args or kwargs:
            raise ParameterError("get_epsilon", "called with delta alone", [*args, *kwargs])
        return self.epsilon(delta).upper

    def __len__(self) -> int:
        return sum(count for _, _, count in self.history)

    @classmethod
    def mechanism(cls) -> str:
        """Return the name of the accountant in the registry."""
        return NAME

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """Return a function that counts a step of an optimizer of Opacus, with the gradients that it accumulated."""

        def count_step(optim: Any) -> None:
            self.step(noise_multiplier=optim.noise_multiplier, sample_rate=sample_rate * optim.accumulated_iterations)

        return count_step

    def state_dict(self, destination: MutableMapping[str, Any] | None = None) -> MutableMapping[str, Any]:
        """Return the state for a checkpoint, in ``destination`` where there is one: plain numbers and text."""
        state: MutableMapping[str, Any] = OrderedDict() if destination is None else destination
        state.update(history=list(self.history), mechanism=NAME)
        return state

    def load_state_dict(self, state_dict: MutableMapping[str, Any]) -> None:
        """Take the state of a checkpoint in place of the own one.

        Raises
        ------
        ParameterError
            If it lacks the history or the name of the accountant, or is that of another accountant.  It is a
            ValueError, as Opacus raises.

        """
        missing = [name for name in STORED if name not in (state_dict or {})]
        if missing:
            raise ParameterError("state_dict", f"a mapping with the keys {' and '.join(STORED)}", state_dict)
        if state_dict["mechanism"] != NAME:
            raise ParameterError(
                "state_dict",
                f"that of the accountant {NAME}; a history is taken over by accountant.history = state_dict['history']",
                state_dict["mechanism"],
            )
        # Checkpoints may hold lists in place of tuples.
        self.history = [(noise, rate, count) for noise, rate, count in state_dict["history"]]

    def _accountant(self) -> Accountant:
        accountant = Accountant()
        for noise, rate, count in self.history:
            accountant.compose(PoissonSampledDpEvent(rate, GaussianDpEvent(noise)), count)
        return accountant


def register_with_opacus() -> None:
    """Make the accountant known to Opacus under the name "pldcheck", and a subclass of its ``IAccountant``.

    Raises
    ------
    Unsupported
        If Opacus, or a version of it with a registry, is not installed.

    """
    try:
        from opacus.accountants import IAccountant, registry
    except ImportError:
        raise Unsupported(
            "OpacusAccountant", "registry to enter", "it needs Opacus: pip install 'pldcheck[opacus]'"
        ) from None
    IAccountant.register(OpacusAccountant)
    # A cell of a notebook may run twice.
    registry.register_accountant(NAME, OpacusAccountant, force=True)
