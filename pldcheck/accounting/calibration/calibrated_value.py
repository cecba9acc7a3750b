"""The least noise, or the largest budget, whose certified epsilon is within a target.

What is accepted or refused is a number that was asked for, by the upper end of its answer; nothing is interpolated in
the end.  Real parameters are tried at decimals of few digits, so that what is printed is what was certified.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields, replace
from html import escape
from time import perf_counter, process_time
from typing import Any

from ...core.errors import ParameterError, PldcheckError, UnknownNameError
from ...core.interval import Interval
from ...core.parameters import PARAMETERS, Parameter
from ...protocols import PROTOCOLS, Protocol
from ...protocols.capabilities import Direction
from ...randomizers import randomizer_text
from .bracket_search import Search, Tried
from .search_grid import Grid

PRECISION = Parameter("precision", "relative precision of a real parameter", 1e-9, 0.5)
# Seconds of computing after which a search asks no more; what it has is certified, if not the best there is.
ENOUGH = 25.0
# Least values tried of reals whose range is open at 0.
TINY = 1e-9

Progress = Callable[[int, float, Interval], None]


class UnreachableError(PldcheckError, ValueError):
    """No value of the parameter meets the target; ``nearest`` came nearest, ``proved``: not even its lower end does."""

    def __init__(self, parameter: str, target_epsilon: float, delta: float, ends: str, nearest: Tried) -> None:
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
    """The best value found, with its certificate: ``interval.upper <= target_epsilon`` at this very value.

    ``refused`` is the nearest value asked for whose upper end is above the target, ``excluded`` the nearest one whose
    lower end is: the largest value that would do (or the least) lies from ``value`` to that one.  ``refused`` is None
    where every value meets the target, and ``value`` is one of the ``ends`` of what was searched.  A search that takes
    long is not ``complete``: values between ``value`` and ``refused`` (or the end) were not all asked for.
    """

    protocol: Protocol
    parameter: str
    value: float
    interval: Interval
    target_epsilon: float
    delta: float
    precision: float
    ends: tuple[float, float]
    refused: Tried | None
    excluded: Tried | None
    queries: int
    seconds: float = field(compare=False)
    complete: bool = True

    @property
    def rises(self) -> bool:
        """Whether epsilon rises with the parameter, so that the largest value is sought."""
        return self.protocol.directions[self.parameter].rises

    @property
    def optimal(self) -> bool:
        """Whether the next value is proved not to meet the target; then only the precision is left."""
        return self.complete and self.refused == self.excluded

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and mappings, ready for JSON."""
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
        for name, tried in (("refused", self.refused), ("excluded", self.excluded)):
            if tried is not None:
                rows.append((name, f"{tried.value!r}: epsilon in {tried.interval:}"))
        rows += [("queries", str(self.queries)), ("seconds", f"{self.seconds:.1f}")]
        body = "".join(f"<tr><th>{escape(name)}</th><td>{escape(text)}</td></tr>" for name, text in rows)
        return f"<table><caption>{escape(self.protocol.name)}, calibrated</caption>{body}</table>"


def calibrate(
    protocol: str | type[Protocol] | Protocol,
    solve: str,
    target_epsilon: float,
    delta: float,
    precision: float = 1e-3,
    progress: Progress | None = None,
    **fixed: Any,
) -> Calibration:
    """The value of a parameter with the least privacy that is certified to be enough.

    Parameters
    ----------
    protocol : str or type
        A protocol or its name.
    solve : str
        The parameter: the least noise or number of those that hide, the largest budget, probability or number of
        releases.
    target_epsilon, delta : float
        The certified upper end of epsilon at ``delta`` is to be at most ``target_epsilon``.
    precision : float in [1e-9, 0.5]
        Of a real parameter, relatively; integers are exact.
    progress : callable
        Given the number of queries so far, the value last asked for, and its interval.
    **fixed
        The protocol's other parameters.

    Raises
    ------
    ParameterError
        For parameters out of range, missing, or of no effect; UnknownNameError for unknown names.
    UnreachableError
        If no value of the parameter meets the target.

    """
    kind = _protocol(protocol)
    if not isinstance(solve, str):
        raise UnknownNameError(f"parameter of {kind.name} to solve for", repr(solve), kind.directions)
    name = solve.replace("-", "_")
    way = _direction(kind, name, fixed)
    target, delta = float(PARAMETERS["epsilon"].parse(target_epsilon)), float(PARAMETERS["delta"].parse(delta))
    precision = float(PRECISION.parse(precision))
    grid = _grid(kind, PARAMETERS[name], way, precision, fixed)
    start = perf_counter()

    def ask(value: float) -> Interval:
        return kind(**{name: value}, **fixed).epsilon(delta, kind.default_width)

    def told(value: float) -> Interval:
        interval = ask(value)
        if progress:
            progress(len(search.found) + 1, value, interval)
        return interval

    began = process_time()
    search = Search(grid, way.rises, target, told, lambda: process_time() - began > ENOUGH)
    search.run(way.start)
    if search.good is None:
        assert search.bad is not None
        raise UnreachableError(name, target, delta, str(grid), search.tried(search.bad))
    value, interval = grid.value(search.good), search.found[search.good]
    return Calibration(
        protocol=kind(**{name: value}, **fixed),
        parameter=name,
        value=value,
        interval=interval,
        target_epsilon=target,
        delta=delta,
        precision=precision,
        ends=(grid.least, grid.most),
        refused=None if search.bad is None else search.tried(search.bad),
        excluded=search.excluded,
        queries=len(search.found),
        seconds=perf_counter() - start,
        complete=search.complete,
    )


def _protocol(protocol: object) -> type[Protocol]:
    """The class, by itself or by its name."""
    if isinstance(protocol, type) and issubclass(protocol, Protocol):
        kind: type[Protocol] | None = protocol
    else:
        name = protocol.name if isinstance(protocol, Protocol) else protocol
        kind = PROTOCOLS.get(name) if isinstance(name, str) else None
    if kind is None or not kind.directions:
        known = sorted(name for name, one in PROTOCOLS.items() if one.directions)
        said = protocol if isinstance(protocol, str) else repr(protocol) if kind is None else kind.name
        raise UnknownNameError("protocol to calibrate", said, known)
    return kind


def _direction(kind: type[Protocol], name: str, fixed: dict[str, Any]) -> Direction:
    """That of the parameter, after a look at the others: all that are needed, and no more."""
    if name not in kind.directions:
        raise UnknownNameError(f"parameter of {kind.name} to solve for", name, kind.directions)
    if name in fixed:
        raise ParameterError(name, "left out where it is solved for", fixed[name])
    known = {entry.name: entry for entry in fields(kind)}
    for given in fixed:
        if given not in known:
            raise UnknownNameError(f"parameter of {kind.name}", given, known)
    for needed, entry in known.items():
        if entry.default is MISSING and needed not in fixed and needed != name:
            allowed = PARAMETERS[needed].allowed if needed in PARAMETERS else "given"
            raise ParameterError(needed, allowed, None)
    randomizer = randomizer_text.kind_of(fixed.get("randomizer"))
    if name == "eps0" and randomizer is not None and not randomizer.needs_eps0:
        raise ParameterError("solve", "another parameter: this randomizer is the same at every eps0", name)
    way = kind.directions[name]
    if way.unproved_with and fixed.get(way.unproved_with) is not None:
        allowed = f"another parameter: with known {way.unproved_with} it is not proved how epsilon moves"
        raise ParameterError("solve", allowed, name)
    return way


def _grid(kind: type[Protocol], parameter: Parameter, way: Direction, precision: float, fixed: dict[str, Any]) -> Grid:
    """The values that may be tried."""
    defaults = {entry.name: entry.default for entry in fields(kind)}

    def end(value: float | str | None, usual: float) -> float:
        if isinstance(value, str):  # what another parameter is
            return PARAMETERS[value].parse(fixed.get(value, defaults[value]))
        return usual if value is None else value

    most = end(way.most, parameter.high)
    if parameter.integer:
        return Grid.integers(end(way.least, parameter.low), most)
    grid = Grid.decimals(max(end(way.least, TINY), parameter.floor), most, precision)
    # The largest value below an open end.
    return replace(grid, most=grid.value(grid.last - 1)) if parameter.high_open else grid
