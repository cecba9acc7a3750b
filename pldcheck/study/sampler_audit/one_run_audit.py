"""A lower bound of epsilon from the guesses of one run with many canaries, by the theorem of Steinke et al. (2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...core.errors import ConditionError, ParameterError
from ...core.parameters import PARAMETERS, Parameter
from ...core.roots import halve
from ...report.decimal_ends import down
from ...theorems import REMARKS
from ...theorems.steinke23.one_run_tail import ACCURACY, LEFT_OUT, one_run_tail
from ..attack.confidence_limits import FAILURE

# The ranges of the counts; there may be far more canaries than guesses.
COUNTS = {
    "canaries": Parameter("canaries", "number of canaries m, each in the data by a fair coin", 1, 10**9, integer=True),
    "guesses": Parameter("guesses", "number of guesses r, fixed before the run", 0, 10**9, integer=True),
    "correct": Parameter("correct", "number of right guesses v", 0, 10**9, integer=True),
}
# The least probability of failure: far above what the formula leaves out.
LEAST_FAILURE = 1e-250
# The range of the probability that a bound fails.
BETA = Parameter("beta", "probability that the bound is wrong", LEAST_FAILURE, 1, high_open=True)
# The range of delta, which may be 0 here.
DELTA = Parameter("delta", PARAMETERS["delta"].help, 0, 1, high_open=True)
# No run shows a larger epsilon: the odds of a wrong guess are then below 1e-300.
MOST_EPSILON = 690.0
# Relative and absolute accuracy of the search; the bound is on the safe side whatever it is.
CLOSE = 1e-9


@dataclass(frozen=True)
class OneRunAudit:
    """An empirical lower bound of epsilon from one run: wrong with probability at most ``beta`` over the run.

    Parameters
    ----------
    canaries, guesses, correct
        The counts m, r and v of the run.
    delta, beta
        The delta at which epsilon is bounded, and the probability of failure.
    epsilon_lower
        The bound; 0 where the run shows nothing.
    source
        The place where the theorem is printed.

    """

    canaries: int
    guesses: int
    correct: int
    delta: float
    beta: float
    epsilon_lower: float
    source: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON, with the label that the bound is empirical."""
        return {
            "empirical": True,
            "epsilon_lower": self.epsilon_lower,
            "delta": self.delta,
            "confidence": 1.0 - self.beta,
            "canaries": self.canaries,
            "guesses": self.guesses,
            "correct": self.correct,
            "source": self.source,
        }

    def __str__(self) -> str:
        return (
            f"epsilon > {down(self.epsilon_lower)} at delta={self.delta!r}  empirical, confidence 1 - {self.beta:g}; "
            f"{self.correct} of {self.guesses} guesses right, {self.canaries} canaries"
        )


def audit_one_run(canaries: int, guesses: int, correct: int, *, delta: float, beta: float = FAILURE) -> OneRunAudit:
    r"""Return the epsilon that the guesses of one run exceed, except with probability ``beta`` (remark snj-one-run).

    Let :math:`p(\epsilon, v)` be the theorem's bound on the probability of at least v right guesses in a run that is
    :math:`(\epsilon, \delta)`-DP for each coin.  The answer is an epsilon with :math:`p(\epsilon, v) < \beta`, found by
    bisection.  *Proof* that it is at most the least :math:`\epsilon_*` at which the run is
    :math:`(\epsilon, \delta)`-DP, except with probability :math:`\beta`: the run is DP at each
    :math:`\epsilon \ge \epsilon_*` as well, so that
    :math:`P[V \ge v] \le g(v) = \inf_{\epsilon \ge \epsilon_*} p(\epsilon, v)` for every v.  An answer above
    :math:`\epsilon_*` means that :math:`g(V) < \beta`.  With w the least number of which that is true, this event lies
    in :math:`V \ge w`, which has probability at most :math:`g(w) < \beta`.  No property of p in epsilon is used, nor
    how the search was made.

    Parameters
    ----------
    canaries, guesses, correct : int
        The number m of canaries, each of which was in the data by a fair coin of its own; the number r of guesses,
        fixed before the run; and the number v of them that were right.  Up to 10^5 guesses.
    delta : float in [0, 1)
    beta : float in [1e-250, 1)
        The probability that the bound is wrong; 1e-6 by default.

    Returns
    -------
    OneRunAudit
        The bound, labelled as empirical.  The round-off of the formula, 1e-11 relatively, is on the safe side.

    Raises
    ------
    ParameterError
        If a number is out of its range, or more guesses are right than were made, or made than there are canaries.

    Examples
    --------
    >>> answer = audit_one_run(1000, 100, 75, delta=1e-4, beta=0.05)
    >>> print(answer)
    epsilon > 0.67298... at delta=0.0001  empirical, confidence 1 - 0.05; 75 of 100 guesses right, 1000 canaries

    """
    counts = {
        name: int(COUNTS[name].parse(value))
        for name, value in (("canaries", canaries), ("guesses", guesses), ("correct", correct))
    }
    at, failure = float(DELTA.parse(delta)), float(BETA.parse(beta))

    def contradicts(epsilon: float) -> bool:
        most = one_run_tail(**counts, epsilon=epsilon, delta=at)
        return most * (1.0 + 2.0 * ACCURACY) + LEFT_OUT * (1.0 + 2.0 * counts["canaries"] * at) < failure

    try:
        shows_something = contradicts(0.0)
    except ConditionError as error:
        name = error.condition.partition(" ")[0]
        raise ParameterError(name, f"such that {error.condition}", counts[name]) from None
    lower = 0.0
    if shows_something:
        lower = halve(contradicts, 0.0, MOST_EPSILON, relative=CLOSE, absolute=CLOSE)[0]
    return OneRunAudit(**counts, delta=at, beta=failure, epsilon_lower=lower, source=str(REMARKS["snj-one-run"].source))
