"""The least noise, or the largest budget, whose certified epsilon meets a target.

Every value that is accepted or refused was itself computed, and is judged by the upper end of its interval; nothing is
interpolated.  Real parameters take decimals of few digits as values, so that the printed value is the certified one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, replace
from html import escape
from time import perf_counter, process_time
from typing import Any

from ...core.errors import MissingKeywordError, ParameterError, PldcheckError, UnknownNameError
from ...core.interval import Interval
from ...core.parameters import PARAMETERS, Parameter, Words
from ...core.usual_names import understood_name
from ...protocols import PROTOCOLS, Protocol
from ...protocols.capabilities import Direction
from ...protocols.usual_keywords import check_noise
from ...randomizers import randomizer_text
from .bracket_search import Search, Trial
from .search_grid import Grid

# The option of the relative precision to which a real parameter is calibrated.
PRECISION = Parameter("precision", "relative precision of a real parameter", 1e-9, 0.5)
# The option of the target, which is an epsilon.
TARGET = replace(PARAMETERS["epsilon"], name="target_epsilon")
# The computing time in seconds after which a search ends; its value is then certified, but perhaps not the best.
ENOUGH = 25.0
# The least value of real parameters whose range is open at 0.
TINY = 1e-9

# A function that is called with the number of queries, the value of the last one, and its interval.
Progress = Callable[[int, float, Interval], None]


class UnreachableError(PldcheckError, ValueError):
    """The error of a target that no value of the parameter meets.

    ``nearest`` is the value whose epsilon comes nearest to the target.  ``proved`` says whether its lower end is above
    the target as well, so that no value can meet it.
    """

    def __init__(self, parameter: str, target_epsilon: float, delta: float, ends: str, nearest: Trial) -> None:
        self.parameter, self.target_epsilon, self.delta = parameter, target_epsilon, delta
        self.ends, self.nearest = ends, nearest
        self.proved = nearest.interval.lower > target_epsilon
        what = "no {} {} is {}" if self.proved else "no {} {} could be certified to be {}"
        super().__init__(
            what.format(parameter, ends, f"({target_epsilon!r}, {delta!r})-DP")
            + f"; {parameter} = {nearest.value!r} comes nearest with "
            f"epsilon in {nearest.interval:}"
        )

    def __reduce__(self):
        return type(self), (self.parameter, self.target_epsilon, self.delta, self.ends, self.nearest)


@dataclass(frozen=True, repr=False)
class Calibration:
    """The result of a calibration, with its certificate: ``interval.upper <= target_epsilon`` at exactly this value.

    Parameters
    ----------
    protocol : Protocol
        The protocol with the calibrated parameter.
    parameter, value
        The name of the parameter, and the best value.
    interval : Interval
        The certified epsilon at that value and ``delta``.
    target_epsilon, delta, precision : float
        The target, and the relative precision of a real parameter.
    ends : (float, float)
        The ends of the range that was searched.
    refused : Trial or None
        The nearest value whose upper end is above the target; None if ``value`` is one of the ``ends``, because every
        value meets the target.
    excluded : Trial or None
        The nearest value whose lower end is above the target: the best possible value lies between ``value`` and it.
    queries, seconds
        The number of values that were computed, and the time.
    complete : bool
        Whether the search ended by itself; a search that takes too long leaves values between ``value`` and
        ``refused`` (or the end of the range) open.

    """

    protocol: Protocol
    parameter: str
    value: float
    interval: Interval
    target_epsilon: float
    delta: float
    precision: float
    ends: tuple[float, float]
    refused: Trial | None
    excluded: Trial | None
    queries: int
    seconds: float = field(compare=False)
    complete: bool = True

    @property
    def rises(self) -> bool:
        """Whether epsilon rises with the parameter, so that the largest value is sought."""
        return self.protocol.directions[self.parameter].rises

    @property
    def optimal(self) -> bool:
        """Whether the next value certainly misses the target, so that a better value differs by the precision only."""
        return self.complete and self.refused == self.excluded

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values that JSON can hold."""
        return {
            "protocol": self.protocol.name,
            "params": self.protocol.params(),
            "solve": self.parameter,
            "value": self.value,
            "target_epsilon": self.target_epsilon,
            "delta": self.delta,
            "precision": self.precision,
            "searched": list(self.ends),
            **self.interval.to_dict(),
            "refused": self.refused and self.refused.to_dict(),
            "excluded": self.excluded and self.excluded.to_dict(),
            "optimal": self.optimal,
            "complete": self.complete,
            "queries": self.queries,
            "seconds": self.seconds,
        }

    def __repr__(self) -> str:
        return (
            f"Calibration({self.protocol!r}, {self.parameter}={self.value!r}, epsilon in {self.interval:} "
            f"<= {self.target_epsilon!r} at delta={self.delta!r})"
        )

    def _repr_html_(self) -> str:
        rows = [(self.parameter, f"{self.value!r}"), ("target epsilon", f"{self.target_epsilon!r}")]
        rows += [("delta", f"{self.delta!r}"), ("epsilon", f"{self.interval:}")]
        for name, trial in (("refused", self.refused), ("excluded", self.excluded)):
            if trial is not None:
                rows.append((name, f"{trial.value!r}: epsilon in {trial.interval:}"))
        rows += [("queries", str(self.queries)), ("seconds", f"{self.seconds:.1f}")]
        body = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in rows)
        return f"<table><caption>{escape(self.protocol.name)}, calibrated</caption>{body}</table>"


def calibrate(
    protocol: str | type[Protocol] | Protocol,
    solve: str,
    target_epsilon: float,
    delta: float | None = None,
    precision: float = 1e-3,
    progress: Progress | None = None,
    **others: Any,
) -> Calibration:
    """Return the value of a parameter that is certified to meet a privacy target with the least cost.

    That is the least noise, or the least number of records or slots among which a record is hidden; or the largest
    budget, probability or number of releases.

    Parameters
    ----------
    protocol : str, type or Protocol
        A protocol: its name, its class, or an object, whose fields hold but for the one that is solved for.
    solve : str
        The name of the parameter.
    target_epsilon, delta : float
        The target: the certified upper end of epsilon at ``delta`` must be at most ``target_epsilon``.  The delta may
        be called ``target_delta``.
    precision : float in [1e-9, 0.5]
        The relative precision of a real parameter; integers are exact.
    progress : callable
        A function that is called with the number of queries, the value of the last one, and its interval.
    **others
        The other parameters of the protocol; they take the place of the fields of an object.

    Returns
    -------
    Calibration
        The value with its certified interval, and the nearest values that miss the target.

    Raises
    ------
    ParameterError
        If a parameter is out of range, missing (MissingError), or without effect.
    UnknownNameError
        If a name is unknown.
    UnreachableError
        If no value of the parameter meets the target.

    Examples
    --------
    >>> calibrate("gaussian", "sigma", target_epsilon=1.0, delta=1e-6).value
    4.225
    >>> from pldcheck import Gaussian
    >>> calibrate(Gaussian(sigma=1.0, steps=10), "sigma", target_epsilon=1.0, delta=1e-6).value
    13.36

    """
    kind = _protocol(protocol)
    if not isinstance(solve, str):
        raise UnknownNameError(f"parameter of {kind.name} to solve for", repr(solve), kind.directions)
    name = solve.replace("-", "_")
    name = understood_name(name, kind.parameters()) or name
    if delta is None:
        delta = others.pop("target_delta", None)
    if delta is None:
        raise MissingKeywordError("delta", PARAMETERS["delta"].domain)
    others = _names_here(kind, others)
    check_noise(solve, name, (*kind.parameters(), *others.values()))
    if isinstance(protocol, Protocol):
        own = {field_name: value for field_name, value in protocol.params().items() if field_name != name}
        others = own | others
    way = _direction(kind, name, others)
    target, delta = float(TARGET.parse(target_epsilon)), float(PARAMETERS["delta"].parse(delta))
    precision = float(PRECISION.parse(precision))
    grid = _grid(kind, PARAMETERS[name], way, precision, others)
    start = perf_counter()

    def ask(value: float) -> Interval:
        return kind(**{name: value}, **others).epsilon(delta, kind.default_width)

    def ask_and_report(value: float) -> Interval:
        interval = ask(value)
        if progress:
            progress(len(search.answers) + 1, value, interval)
        return interval

    process_start = process_time()
    search = Search(grid, way.rises, target, ask_and_report, lambda: process_time() - process_start > ENOUGH)
    search.run(way.start)
    if search.good is None:
        assert search.bad is not None
        raise UnreachableError(name, target, delta, str(grid), search.trial(search.bad))
    value, interval = grid.value(search.good), search.answers[search.good]
    return Calibration(
        protocol=kind(**{name: value}, **others),
        parameter=name,
        value=value,
        interval=interval,
        target_epsilon=target,
        delta=delta,
        precision=precision,
        ends=(grid.least, grid.most),
        refused=None if search.bad is None else search.trial(search.bad),
        excluded=search.excluded,
        queries=len(search.answers),
        seconds=perf_counter() - start,
        complete=search.complete,
    )


def _protocol(protocol: object) -> type[Protocol]:
    """Return the class of a protocol that can be calibrated, from an object, a class or a name."""
    if isinstance(protocol, Protocol):
        kind: type[Protocol] | None = type(protocol)
    elif isinstance(protocol, type) and issubclass(protocol, Protocol):
        kind = protocol
    else:
        kind = PROTOCOLS.get(protocol) if isinstance(protocol, str) else None
    if kind is None or not kind.directions:
        names = sorted(name for name, one in PROTOCOLS.items() if one.directions)
        label = protocol if isinstance(protocol, str) else repr(protocol) if kind is None else kind.name
        if label == "training":
            raise PldcheckError("a training run is an object here: calibrate(pldcheck.Training(...), 'sigma', ...)")
        raise UnknownNameError("protocol to calibrate", label, names)
    return kind


def _names_here(kind: type[Protocol], others: dict[str, Any]) -> dict[str, Any]:
    """Return parameters with the names, and those that are words with the words, that they have here."""
    declared, values = kind.parameters(), {}
    for name, value in others.items():
        here = understood_name(name, declared)
        here = name if here is None or here in others else here
        check_noise(name, here, (*declared, *others.values()))
        parameter = declared.get(here)
        values[here] = parameter.parse(value) if isinstance(parameter, Words) else value
    return values


def _direction(kind: type[Protocol], name: str, others: dict[str, Any]) -> Direction:
    """Return how epsilon moves with a parameter; raise an error if the other parameters are not the ones it needs."""
    if name not in kind.directions:
        raise UnknownNameError(f"parameter of {kind.name} to solve for", name, kind.directions)
    if name in others:
        raise ParameterError(name, "left out where it is solved for", others[name])
    entries = {entry.name: entry for entry in fields(kind)}
    for other in others:
        if other not in entries:
            raise UnknownNameError(f"parameter of {kind.name}", other, entries)
    for field_name, entry in entries.items():
        if entry.default is MISSING and field_name not in others and field_name != name:
            domain = PARAMETERS[field_name].domain if field_name in PARAMETERS else "given"
            raise ParameterError(field_name, domain, None)
    randomizer = randomizer_text.kind_of(others.get("randomizer"))
    if name == "eps0" and randomizer is not None and not randomizer.needs_eps0:
        raise ParameterError("solve", "another parameter: this randomizer is the same at every eps0", name)
    way = kind.directions[name]
    if way.unproved_with and others.get(way.unproved_with) is not None:
        domain = f"another parameter: with known {way.unproved_with} it is not proved how epsilon moves"
        raise ParameterError("solve", domain, name)
    if way.unproved_at is not None:
        other, value = way.unproved_at
        if others.get(other, entries[other].default) == value:
            domain = f"another parameter: with {other} {value} it is not proved how epsilon moves"
            raise ParameterError("solve", domain, name)
    return way


def _grid(kind: type[Protocol], parameter: Parameter, way: Direction, precision: float, others: dict[str, Any]) -> Grid:
    """Return the values among which the search takes place."""
    defaults = {entry.name: entry.default for entry in fields(kind)}

    def end(value: float | str | None, usual: float) -> float:
        if isinstance(value, str):  # the end is the value of another parameter
            return PARAMETERS[value].parse(others.get(value, defaults[value]))
        return usual if value is None else value

    most = end(way.most, parameter.high)
    if parameter.integer:
        return Grid.integers(end(way.least, parameter.low), most)
    grid = Grid.decimals(max(end(way.least, TINY), parameter.floor), most, precision)
    # The largest value below an open end.
    return replace(grid, most=grid.value(grid.last - 1)) if parameter.high_open else grid
