"""``assert_accountant_sound`` compares an accountant with a corpus of certified points."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from numbers import Real
from pathlib import Path
from typing import Any

from ..core.errors import ParameterError, PldcheckError
from ..core.outward_decimals import safe_lines
from ..witness import judge_corpus

# The corpus of 200 points that comes with the package.
SMALL_CORPUS = Path(__file__).with_name("small_corpus.jsonl")
# The number of points that a message shows in full.
SHOWN = 3


def assert_accountant_sound(
    accountant: Callable[[Mapping[str, Any]], Any],
    corpus: str | os.PathLike[str] = SMALL_CORPUS,
    *,
    tolerance: float = 0.0,
) -> judge_corpus.Judgement:
    """Assert that no answer of an accountant is certainly false at the points of a corpus.

    An upper end must not be below the certified lower end, nor a lower end above the certified upper end; an end that
    is not a number, and a negative upper end, are false as well.

    Parameters
    ----------
    accountant : callable
        A function of a point, which :mod:`pldcheck.accounting.corpus` describes: a mapping with ``protocol``,
        ``adjacency``, ``parameters``, ``quantity``, and ``delta`` or ``epsilon``, as texts.  It returns an upper end of
        the quantity, or a pair (lower end, upper end), or None where it has no answer.
    corpus : path, optional
        A file that ``pldcheck corpus`` has written; the default has 200 points and comes with the package.
    tolerance : float in [0, 1)
        The relative error that is forgiven; comparisons are exact.  1e-12 forgives the round-off of most accountants.

    Returns
    -------
    Judgement
        The verdict, with ``ratios``, the upper answer over the certified upper end by the id of the point.

    Raises
    ------
    AssertionError
        If an answer is certainly false, or there is no answer; the message shows the worst points.
    PldcheckError
        If the corpus cannot be read.
    ValueError
        If an answer is no number; ParameterError if the tolerance is not in [0, 1).

    Examples
    --------
    >>> def basic_composition(point):
    ...     if point["protocol"] == "laplace" and point["quantity"] == "epsilon":
    ...         return int(point["parameters"]["steps"]) / float(point["parameters"]["scale"])
    >>> assert_accountant_sound(basic_composition, tolerance=1e-12).answered
    10

    """
    __tracebackhide__ = True
    if not isinstance(tolerance, Real) or isinstance(tolerance, bool) or not 0.0 <= tolerance < 1.0:
        raise ParameterError("tolerance", "at least 0 and below 1", tolerance)
    if not callable(accountant):
        raise ParameterError("accountant", "a function of a point", accountant)
    try:
        _, points = judge_corpus.read_corpus(os.fspath(corpus))
    except OSError as error:
        raise ParameterError("corpus", f"a file to read ({(error.strerror or str(error)).lower()})", corpus) from None
    except ValueError as error:
        raise PldcheckError(str(error)) from None
    answers = judge_corpus.ask(points, accountant)
    judgement = judge_corpus.judge(points, answers, judge_corpus.number(float(tolerance)))
    if not answers:
        raise AssertionError(f"nothing was judged: the accountant answers none of {len(points)} points")
    if not judgement.sound:
        more = len(judgement.faults) - SHOWN
        lines = [*judge_corpus.report(points, judgement, SHOWN), *([f"  ... and {more} more"] if more > 0 else [])]
        raise AssertionError(safe_lines("\n".join(lines)))
    return judgement
