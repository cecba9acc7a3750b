"""A training run by its records, batch size, epochs and noise, with certified answers for its sampling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from .. import drawing
from ..core.errors import ParameterError
from ..core.interval import Interval
from ..core.parameters import PARAMETERS, Parameter, Text, Words
from ..core.usual_names import understood_name
from ..protocols import AnswerTable, Protocol, sweep
from ..protocols.answers_at_each import delta_at_each, epsilon_at_each
from ..protocols.capabilities import MORE_NOISE, MORE_RELEASES, Direction, falls, rises
from ..protocols.pure_epsilon import UNBOUNDED
from ..protocols.usual_keywords import read_usual_keywords
from .samplings import ADD_REMOVE, NEIGHBOURS, SAMPLINGS, Sampling
from .training_phase import Phase

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# What may change from one part of a run to the next.
CHANGES = ("epochs", "batch", "sigma")
# The relative width that is asked of answers by default.
WIDTH = 1e-4
# The most numbers of epochs at which a picture asks.
PLACES = 8
# Width and height of a picture of all samplings, in inches.
WIDE, HIGH = 6.6, 2.6

# A function that is called with what is asked next.
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Training(Protocol):
    """A training run: ``epochs`` passes over ``records`` records in batches of ``batch``, with Gaussian noise.

    Each step adds noise to the sum of the clipped gradients of its batch, and all steps are released.  What that
    reveals depends on how batches are drawn: :data:`~pldcheck.training.SAMPLINGS` has the definitions.  An epoch has
    ``records / batch`` steps, rounded up.

    Attributes
    ----------
    records : int
        Number of records of the training set.
    batch : int
        Batch size, at most ``records``.
    epochs : int
        Number of passes over the data.
    sigma : float
        Noise multiplier: standard deviation of the noise over the clipping norm, which is the largest length of one
        record's gradient.
    sampling : str
        How batches are drawn: ``poisson``, ``opacus``, ``fixed-size``, ``shuffled``, ``random-allocation`` or
        ``balls-in-bins``.
    adjacency : str
        ``add-remove`` (a record is there or not; where the number of records is fixed, its gradient is there or zero,
        which may be named ``zero-out``) or ``replace`` (it is another one).
    later : tuple of Training
        Runs on the same records that follow this one, in other batches or with other noise; :meth:`then` adds one.

    Raises
    ------
    ParameterError
        If a number is out of its range, a sampling or an adjacency is unknown, or the batch is larger than the data.

    Examples
    --------
    >>> run = Training(records=60_000, batch=256, epochs=15, sigma=1.1)
    >>> run.steps
    3525
    >>> print(run.epsilon(delta=1e-5))
    epsilon in [...]
    >>> print(run.then(epochs=5, sigma=0.8).epsilon(delta=1e-5))
    epsilon in [...]

    """

    records: int
    batch: int
    epochs: int
    sigma: float
    sampling: str = "poisson"
    adjacency: str = ADD_REMOVE  # type: ignore[assignment]
    later: tuple[Training, ...] = ()
    name: ClassVar[str] = "training"
    adjacencies: ClassVar[tuple[str, ...]] = NEIGHBOURS
    default_width: ClassVar[float] = WIDTH
    numbers: ClassVar[tuple[Parameter, ...]] = (
        Parameter("records", "number of records of the training set", 1, 10**12, integer=True),
        replace(PARAMETERS["batch"], help="batch size: the number of records of a batch"),
        replace(PARAMETERS["sigma"], help="noise multiplier: the noise's standard deviation over the clipping norm"),
    )
    texts: ClassVar[tuple[Words | Text, ...]] = (
        Words("sampling", "How the data loader draws batches", tuple(SAMPLINGS)),
        Words("adjacency", "What becomes of a record", NEIGHBOURS),
        Text("later", "Runs on the same records that follow.", several=True),
    )
    directions: ClassVar[Mapping[str, Direction]] = MappingProxyType(
        {"sigma": falls(MORE_NOISE, 1.0, least=0.1), "epochs": rises(MORE_RELEASES, 1)}
    )

    def __post_init__(self) -> None:
        sampling = SAMPLINGS.get(self.sampling)
        if sampling and self.adjacency == sampling.adjacencies[ADD_REMOVE]:  # zero-out, which is meant by add-remove
            object.__setattr__(self, "adjacency", ADD_REMOVE)
        super().__post_init__()

    def _check(self) -> None:
        if self.batch > self.records:
            raise ParameterError("batch", f"at most records = {self.records}", self.batch)
        if not isinstance(self.later, tuple | list) or not all(isinstance(one, Training) for one in self.later):
            raise ParameterError("later", "a list of Training objects; run.then(epochs=5) adds one", self.later)
        object.__setattr__(self, "later", tuple(self.later))
        for one in self.later:
            for same in ("records", "sampling", "adjacency"):
                if getattr(one, same) != getattr(self, same):
                    raise ParameterError(same, f"{getattr(self, same)} in all parts of a run", getattr(one, same))
            if one.later:
                raise ParameterError("later", "runs that have no later ones of their own", one)

    def then(self, **changes: Any) -> Training:
        """Return the run followed by another part on the same records.

        Parameters
        ----------
        **changes
            ``epochs``, ``batch`` or ``sigma`` of the new part; what is left out is as in the part before, the number of
            epochs too.

        Returns
        -------
        Training

        Raises
        ------
        ParameterError
            If a number is out of its range, or another field is changed.

        Examples
        --------
        >>> Training(1000, 100, epochs=2, sigma=1.0).then(sigma=0.8).steps
        40

        """
        own = {understood_name(name, CHANGES) or name: value for name, value in changes.items()}
        for name, value in own.items():
            if name not in CHANGES:
                raise ParameterError(name, f"left as it is: {', '.join(CHANGES)} may change", value)
        last = self.parts_of_run[-1]
        return replace(self, later=(*self.later, replace(last, **own)))

    @property
    def parts_of_run(self) -> tuple[Training, ...]:
        """The parts of the run one by one, each without later ones."""
        return replace(self, later=()), *self.later

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The numbers of each part."""
        return tuple(Phase(one.records, one.batch, one.epochs, one.sigma) for one in self.parts_of_run)

    @property
    def steps(self) -> int:
        """The number of steps of the whole run."""
        return sum(phase.steps for phase in self.phases)

    @property
    def definition(self) -> Sampling:
        """The sampling with its definition."""
        return SAMPLINGS[self.sampling]

    @property
    def total_steps(self) -> int:
        """The number of steps of the whole run."""
        return self.steps

    @property
    def exchanged(self) -> Training:
        """The run for the exchanged pairs of neighbours: itself, as both directions are meant."""
        return self

    @property
    def narrowing(self) -> str:
        """The advice, in words, on how to narrow an answer that is wider than was asked."""
        if self.sampling in ("shuffled", "fixed-size"):
            return "the ends are of different data; poisson and random-allocation have narrow answers"
        return super().narrowing

    @epsilon_at_each
    def epsilon(self, delta: float, width: float = WIDTH) -> Interval:
        """Return the smallest epsilon such that all steps are (epsilon, delta)-DP.

        Parameters
        ----------
        delta : float in [0, 1), or a sequence of such
            Pure epsilon, at 0, is infinite.
        width : float in (0, 1)
            The relative width asked of the answer; of several parts in a row it is what their losses allow.

        Returns
        -------
        Interval
            Or an AnswerTable for a sequence.

        Raises
        ------
        ParameterError
            If ``delta`` or ``width`` is out of its range, or the noise is too little for the sampling.

        """
        at = PARAMETERS["delta"].parse(delta)
        return self.definition.answer(self.phases, self.adjacency, "epsilon", at, PARAMETERS["width"].parse(width))

    def pure_epsilon(self) -> Interval:
        """Return epsilon at delta = 0: infinite, as Gaussian noise has no largest loss."""
        return UNBOUNDED

    @delta_at_each
    def delta(self, epsilon: float, width: float = WIDTH) -> Interval:
        """Return the smallest delta such that all steps are (epsilon, delta)-DP."""
        at = PARAMETERS["epsilon"].parse(epsilon)
        return self.definition.answer(self.phases, self.adjacency, "delta", at, PARAMETERS["width"].parse(width))

    def with_sampling(self, sampling: str) -> Training:
        """Return the same run with batches drawn in another way.

        Raises
        ------
        UnknownNameError
            If there is no such sampling.

        """
        later = tuple(replace(one, sampling=sampling) for one in self.later)
        return replace(self, sampling=sampling, later=later)

    def samplings(self, delta: float, progress: Progress | None = None) -> dict[str, Interval | ParameterError]:
        """Return epsilon at a delta for the run under each sampling, or why it has none.

        Parameters
        ----------
        delta : float in (0, 1)
        progress : callable, optional
            A function that is called with the name of each sampling before it is asked.

        Returns
        -------
        dict
            By the name of the sampling, the one of this run first.

        """
        names = [self.sampling, *(name for name in SAMPLINGS if name != self.sampling)]
        return {name: _answer_or_refusal(self.with_sampling(name), delta, progress) for name in names}

    def plot_samplings(self, delta: float, ax: Axes | None = None, progress: Progress | None = None) -> Axes:
        """Plot epsilon under each sampling as a bar: solid up to the lower end, light up to the upper one.

        Parameters
        ----------
        delta : float in (0, 1)
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new pyplot figure.
        progress : callable, optional
            A function that is called with the name of each sampling before it is asked.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ParameterError
            If ``delta`` is out of its range.

        """
        answers = self.samplings(delta, progress)
        shown = {name: answers[name] for name in SAMPLINGS}
        intervals = {name: one for name, one in shown.items() if isinstance(one, Interval)}
        with drawing.styled_axes.axes_or_new(ax, WIDE, HIGH) as axes:
            drawing.interval_bars.draw(axes, list(intervals), list(intervals.values()))
        return axes

    def plot(self, delta: float, ax: Axes | None = None, progress: Progress | None = None) -> Axes:
        """Plot epsilon against the number of epochs, for each sampling that has an answer.

        ``opacus`` is left out, or ``poisson`` where that is the sampling of this run: one can hardly be told from
        the other.

        Parameters
        ----------
        delta : float in (0, 1)
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new pyplot figure.
        progress : callable, optional
            A function that is called with the name of each sampling before it is asked.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ParameterError
            If ``delta`` is out of its range, the run has several parts, or its sampling has no answer.

        """
        if self.later:
            raise ParameterError("later", "left out in a picture over the epochs", self.later)
        alike = ["poisson" if self.sampling == "opacus" else "opacus"]
        answers = self.samplings(delta, progress)
        axes = _over_epochs(self, delta, progress).plot(ax, label=self.sampling)
        for name, one in answers.items():
            if isinstance(one, Interval) and name not in (self.sampling, *alike):
                _over_epochs(self.with_sampling(name), delta, progress).plot(axes, label=name)
        return axes


read_usual_keywords(Training)


def _answer_or_refusal(run: Training, delta: float, progress: Progress | None) -> Interval | ParameterError:
    PARAMETERS["delta"].parse(delta)
    if progress:
        progress(run.sampling)
    try:
        return run.epsilon(delta)
    except ParameterError as error:
        return error


def _over_epochs(run: Training, delta: float, progress: Progress | None) -> AnswerTable:
    """Return epsilon after some of the run's epochs, about evenly spaced."""

    def ask(epochs: int) -> Interval:
        if progress:
            progress(f"{run.sampling}, {epochs} epochs")
        return replace(run, epochs=epochs).epsilon(delta)

    return sweep(ask, epochs=sorted({1 + (run.epochs - 1) * k // (PLACES - 1) for k in range(PLACES)}))
