"""Witness files: the mechanism behind a violated row or a lower end, written out in exact numbers.

One JSON object, which :mod:`pldcheck.witness.checker` verifies without the rest of this package::

    {"pldcheck_witness": 1,
     "claim": {"theorem": "krr-merged", "params": {"clients": 2, "eps0": 1.0, "categories": 3},
               "quantity": "delta", "relation": "<=", "epsilon": "0.8000...", "delta": "0.02724...",
               "adjacency": "replace"},
     "mechanism": {"kind": "shuffle", "record": ["2/3", ...], "replacement": [...], "reference": [...], "sizes": [...]},
     "delta_attained_at_least": "0.0601651962"}

Numbers are JSON numbers, which stand for the double nearest to them, or texts: decimals or ratios, exact.  ``claim``
says that every mechanism of the class in ``params`` is (epsilon, delta)-DP; epsilon or delta, whichever the theorem
computes, is raised by the error granted to its formula.  ``mechanism`` is one of that class that is not: the output
probabilities of the record, of its replacement and of all others, in slots (``hidden-slot``) or shuffled.  In K-ary
randomized response output j stands for ``sizes[j]`` answers.  ``delta_attained_at_least`` is above delta.

The rows are exactly eps0-DP: their x is a rational below e^eps0, or they are mixed with their mean a little.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import floor, log
from typing import Any

from ..errors import PldcheckError, UnknownNameError
from ..laws import LAWS, VERTICES, StepLaw
from ..parameters import PARAMETERS
from ..protocols import HiddenSlot, Shuffle
from ..theorems import REGISTRY, Theorem
from ..verify import FORMULA_SLACK, Row, Verdict, bounded
from . import checker

# Binary digits of the numbers in rows after the point.
DIGITS = 60
# Shares of their mean that rows are mixed with: none, or as little as does.
SHARES = (0.0, *(2.0**-k for k in range(50, 19, -3)))
# By how much epsilon falls behind a lower end, relatively, for its mechanism to be seen to attain more than delta.
BEHIND = (1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 0.003, 0.01, 0.015, 0.02, 0.03, 0.05, 0.1)
# Relative round-off granted to the largest loss of a table.
HAIR = 1e-9
# Outputs that are still to be summed over.
MOST_OUTPUTS = 6
ROWS = ("record", "replacement", "reference")

# Three rows of exact probabilities, and the sizes of the groups of answers in K-ary randomized response.
Rows = tuple[Sequence[Fraction], Sequence[Fraction], Sequence[Fraction]]
Candidate = tuple[Rows, list[int] | None]


def of_row(row: Row, theorem: Theorem | None = None) -> dict[str, Any]:
    """The witness file of a violated row; ``theorem``: where it is none of the registry.

    Raises
    ------
    PldcheckError
        With the reason why there is none: it is not violated, or its mechanism is of a kind that cannot be written.

    """
    if row.verdict is not Verdict.VIOLATED or row.analytic is None or not row.theorem:
        raise PldcheckError(f"{row.subject} is {row.verdict} there: nothing to be refuted")
    if theorem is None:
        if row.theorem not in REGISTRY:
            raise UnknownNameError("theorem", row.theorem, REGISTRY)
        theorem = REGISTRY[row.theorem]
    bound = theorem(**row.params)
    if theorem.relation == ">=" or bound.quantity not in ("epsilon", "delta"):
        raise PldcheckError(f"{theorem.id} claims {theorem.claim}: a mechanism cannot refute it")
    instance = bounded(theorem, bound).protocol
    raised = _text(Fraction(row.analytic) * (1 + Fraction(FORMULA_SLACK)), ROUND_CEILING, 20)
    given = str(Decimal(float(bound.at)))
    epsilon, delta = (raised, given) if bound.quantity == "epsilon" else (given, raised)
    params = {name: value for name, value in row.params.items() if name not in ("epsilon", "delta")}
    facts = _facts(theorem.id, params, bound.quantity, instance, epsilon, delta)
    for candidate in _candidates(instance, row.witness):
        made = _completed(facts, candidate)
        if made:
            return made
    raise PldcheckError(f"{theorem.id}: no mechanism that can be written out attains more than is claimed")


def of_question(protocol: Any, delta: float) -> dict[str, Any]:
    """The witness file of the lower end of ``protocol.epsilon(delta)``, or of what one fixed randomizer attains.

    Raises
    ------
    PldcheckError
        As :func:`of_row`; the lower end may be 0.

    """
    instance, at = protocol.reduced, float(delta)
    _supported(instance)
    found = protocol.epsilon(at)
    if found.lower <= 0.0:
        raise PldcheckError(f"{protocol.name}: epsilon may be 0 at delta = {at!r}, nothing to be shown")
    params = _params(instance, found.witness)
    candidates = list(_candidates(instance, found.witness, params["eps0"]))
    for behind in BEHIND:
        epsilon = str(Decimal(found.lower * (1.0 - behind)))
        facts = _facts(None, params, "epsilon", instance, epsilon, str(Decimal(at)))
        for candidate in candidates:
            made = _completed(facts, candidate)
            if made:
                return made
    raise PldcheckError(f"{protocol.name}: no mechanism that can be written out comes near the lower end")


def dumps(facts: Mapping[str, Any]) -> bytes:
    """The file's content."""
    return (json.dumps(facts, allow_nan=False, indent=1) + "\n").encode()


def _text(value: Fraction, rounding: str, digits: int) -> str:
    context = Context(prec=digits, rounding=rounding)
    return str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def _facts(
    theorem: str | None, params: Mapping[str, Any], quantity: str, instance: Any, epsilon: str, delta: str
) -> dict[str, Any]:
    """The file without its mechanism."""
    kind = _supported(instance)
    strange = [name for name in params if name not in {*checker.KINDS[kind], "eps0"}]
    if strange:
        raise PldcheckError(f"{theorem}: no witness files with {strange[0]}")
    claim = {"theorem": theorem, "params": dict(params), "quantity": quantity, "relation": "<="}
    claim |= {"epsilon": epsilon, "delta": delta, "adjacency": instance.adjacency}
    return {"pldcheck_witness": 1, "claim": claim, "mechanism": {"kind": kind}}


def _supported(instance: Any) -> str:
    """The kind of the mechanism; raises where there is none."""
    if isinstance(instance, HiddenSlot) and instance.epochs == 1 and instance.delta0 == 0.0:
        kind = "hidden-slot"
    elif isinstance(instance, Shuffle) and instance.rounds == 1:
        kind = "shuffle"
    else:
        raise PldcheckError(f"no witness files of {instance!r}: one epoch or round of hidden-slot or shuffle only")
    if instance.randomizer.partition(":")[0] in ("laplace", "gaussian", "discrete-gaussian"):
        raise PldcheckError(f"no witness files with randomizer {instance.randomizer}: it has too many outputs")
    return kind


def _params(instance: Any, witness: Mapping[str, Any] | None) -> dict[str, Any]:
    """The class of mechanisms that a question is about; a known slot is one of the eps0-DP ones."""
    if isinstance(instance, HiddenSlot):
        eps0 = instance.eps0
        if eps0 is None:  # of a table: the largest of its losses
            columns = zip(*_written(witness), strict=True)
            eps0 = max(log(max(column) / min(column)) for column in columns) * (1.0 + HAIR)
        return {"steps": instance.steps, "eps0": eps0, "weight": instance.weight}
    params = {"clients": instance.clients, "eps0": instance.eps0}
    kind, _, text = instance.randomizer.partition(":")
    if kind in ("rr", "krr"):
        params["categories"] = _categories(instance)
    return params | ({"tv": float(text)} if kind == "tv" else {})


def _categories(instance: Any) -> int:
    """The number of answers of randomized response."""
    return int(PARAMETERS["categories"].parse(instance.randomizer.partition(":")[2] or 2))


def _completed(facts: Mapping[str, Any], candidate: Candidate) -> dict[str, Any] | None:
    """The file with this mechanism, if the checker accepts it."""
    rows, sizes = candidate
    texts = {name: [str(mass) for mass in row] for name, row in zip(ROWS, rows, strict=True)}
    more = {"sizes": sizes} if sizes else {}
    made = {**facts, "mechanism": {**facts["mechanism"], **texts, **more}}
    delta = Fraction(facts["claim"]["delta"])
    try:
        # Any number above delta will do until the delta attained is known.
        found = checker.check({**made, "delta_attained_at_least": str(Decimal(float(delta) * (1.0 + 1e-15)))})
    except ValueError:
        return None
    below = (_text(found, ROUND_FLOOR, digits) for digits in (9, 20, 60))
    return {**made, "delta_attained_at_least": next(text for text in below if Fraction(text) > delta)}


def _candidates(instance: Any, witness: Mapping[str, Any] | None, eps0: float | None = None) -> Iterator[Candidate]:
    """Mechanisms that may do, what the engine found first."""
    kind = instance.randomizer.partition(":")[0]
    eps0 = float(instance.eps0 if eps0 is None else eps0)
    # Some x below e^eps0, and near.
    x = Fraction(floor(checker._exp(Fraction(eps0), 0) * 2**DIGITS), 2**DIGITS)
    if isinstance(instance, Shuffle) and kind in ("rr", "krr"):
        yield from sorted(_responses(x, _categories(instance)), key=lambda one: _distance(one[0], witness))
        return
    if _written(witness):
        yield from ((rows, None) for rows in _mixed(_written(witness)))
    if kind == "worst":
        named = (witness or {}).get("law")
        yield from ((_of_law(law, x), None) for law in sorted(LAWS, key=lambda law: law.name != named))


def _of_law(law: StepLaw, x: Fraction) -> Rows:
    """The three rows of a law: likelihood ratios are powers of x."""
    total = sum(x**power for power in law.powers)
    i, j = zip(*(VERTICES[vertex] for vertex in law.name), strict=True)
    record, replacement = (
        [x ** (power + more) / total for power, more in zip(law.powers, exponents, strict=True)] for exponents in (i, j)
    )
    return record, replacement, [x**power / total for power in law.powers]


def _responses(x: Fraction, k: int) -> Iterator[Candidate]:
    """K-ary randomized response, answers that are alike taken as one; the others hold one of the values, or a third."""
    groups = {2: [[1, 1]], 3: [[1, 1, 1]]}.get(k, [[1, 1, k - 2], [1, 1, 1, k - 3]])
    for sizes in groups:
        for value in range(min(len(sizes), 3)):
            record, replacement, reference = (
                [(size + (x - 1) * (j == own)) / (x + k - 1) for j, size in enumerate(sizes)] for own in (0, 1, value)
            )
            yield (record, replacement, reference), sizes


def _written(witness: Mapping[str, Any] | None) -> list[list[float]]:
    """The rows of an engine's witness, if it has any that are short enough."""
    found = [(witness or {}).get(name) for name in ("record", "replacement")]
    found.append((witness or {}).get("others") or (witness or {}).get("reference"))
    return [list(row) for row in found if row] if all(row and len(row) <= MOST_OUTPUTS for row in found) else []


def _distance(rows: Rows, witness: Mapping[str, Any] | None) -> float:
    """How far rows are from those of an engine's witness."""
    written = _written(witness)
    if not written or len(written[0]) != len(rows[0]):
        return float(len(rows[0]))
    return max(
        abs(float(a) - b) for row, other in zip(rows, written, strict=True) for a, b in zip(row, other, strict=True)
    )


def _mixed(rows: Sequence[Sequence[float]]) -> Iterator[Rows]:
    """The rows as rationals of sum 1, mixed with their mean more and more: that lowers all likelihood ratios."""
    exact = []
    for row in rows:
        found = [Fraction(round(Fraction(mass) * 2**DIGITS), 2**DIGITS) for mass in row]
        found[found.index(max(found))] += 1 - sum(found)
        exact.append(found)
    mean = [sum(column, Fraction(0)) / 3 for column in zip(*exact, strict=True)]
    for share in map(Fraction, SHARES):
        record, replacement, others = (
            [(1 - share) * mass + share * middle for mass, middle in zip(row, mean, strict=True)] for row in exact
        )
        yield record, replacement, others
