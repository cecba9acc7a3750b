"""The result of a computation of posterior trajectories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import drawing
from ...core.arrays import Array
from ...core.data_frames import pandas
from ...core.outward_decimals import up
from .slot_posterior import OUTWARD

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The letter of the number of slots in each algorithm.
LETTERS = {"random-replacement": "m", "random-swap": "n"}


@dataclass(frozen=True, eq=False)
class Trajectory:
    r"""The distribution of the posteriors :math:`q_i` at some indices.

    Parameters
    ----------
    protocol, params, slots
        The name and the parameters of the algorithm, and its number of steps or clients.
    indices, levels
        The indices i, which count from 1 to ``slots``, and the levels of the quantiles.
    quantile_upper
        Upper bounds of the quantiles under the record's own law P, float64[levels, indices]: the smallest q with
        P(q_i <= q) >= level or a little more (relatively 1e-9; one atom if the level is that near to a jump).
    quantile_upper_reference
        Upper bounds of the quantiles under Q0, the law without the record.
    mean_reference
        E q_i under Q0, to a relative 1e-12.
    envelope, envelope_improved
        The bound of q_i in the paper, and a sharper one.

    """

    protocol: str
    params: Mapping[str, Any]
    slots: int = field(repr=False)
    indices: NDArray[np.int64] = field(repr=False)
    levels: Array
    quantile_upper: Array = field(repr=False)
    quantile_upper_reference: Array = field(repr=False)
    mean_reference: Array = field(repr=False)
    envelope: Array = field(repr=False)
    envelope_improved: Array = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "params", MappingProxyType(dict(self.params)))
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @property
    def mean(self) -> Array:
        """E q_i under P, which is the prior probability of the slot, 1/m."""
        return np.full(self.indices.size, 1.0 / self.slots)

    def _step_eps(self, posterior: Array) -> Array:
        growth = self.params.get("weight", 1.0) * np.expm1(self.params["eps0"])
        return np.asarray(np.log1p(growth * posterior) * OUTWARD)

    @property
    def eps_quantile_upper(self) -> Array:
        r"""The epsilon of a step, :math:`\log(1 + w q (x-1))`, at ``quantile_upper``: float64[levels, indices].

        It is the epsilon of a step, conditionally on the past, if the posterior of this record is the larger one (proof
        of Theorem A.4).  The probability of a level holds for each index, and not for all indices together.
        """
        return self._step_eps(self.quantile_upper)

    @property
    def eps_envelope(self) -> Array:
        """The epsilon of each step at the envelope of the paper, which its proof composes."""
        return self._step_eps(self.envelope)

    @property
    def eps_envelope_improved(self) -> Array:
        """The epsilon of each step at the improved envelope."""
        return self._step_eps(self.envelope_improved)

    def _columns(self) -> dict[str, Array]:
        return {
            "mean": self.mean,
            "mean_reference": self.mean_reference,
            "envelope": self.envelope,
            "envelope_improved": self.envelope_improved,
            "eps_envelope": self.eps_envelope,
            "eps_envelope_improved": self.eps_envelope_improved,
        }

    def _tables(self) -> dict[str, Array]:
        return {
            "quantile_upper": self.quantile_upper,
            "quantile_upper_reference": self.quantile_upper_reference,
            "eps_quantile_upper": self.eps_quantile_upper,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON, with one list of quantiles for each level."""
        arrays = {"indices": self.indices, "levels": self.levels, **self._tables(), **self._columns()}
        return {
            "protocol": self.protocol,
            "params": dict(self.params),
            "slots": self.slots,
            **{name: values.tolist() for name, values in arrays.items()},
        }

    def to_pandas(self):
        """Return a pandas DataFrame with a line for each index and columns such as ``quantile_upper.0.99``."""
        columns = {"index": self.indices, **self._columns()}
        for name, table in self._tables().items():
            columns |= {f"{name}.{level!r}": row for level, row in zip(self.levels.tolist(), table, strict=True)}
        return pandas().DataFrame(columns)

    @property
    def letter(self) -> str:
        """The letter of the number of slots: m steps, or n clients."""
        return LETTERS[self.protocol]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot m q_i against i/m: bands between the quantiles, and both envelopes; 1 means that nothing was learned.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new pyplot figure.

        Returns
        -------
        matplotlib Axes
            The axes, with a legend beside them.

        Examples
        --------
        >>> from pldcheck.study import trajectories
        >>> trajectories.random_replacement(steps=100, eps0=1.0).plot().get_ylabel()
        'm qᵢ'

        """
        envelopes = {"envelope (paper)": self.envelope, "envelope (improved)": self.envelope_improved}
        with drawing.styled_axes.axes_or_new(ax, 6.4, 3.4) as axes:
            drawing.quantile_fan.draw(
                axes,
                self.indices / self.slots,
                self.levels,
                self.slots * self.quantile_upper,
                {name: self.slots * envelope for name, envelope in envelopes.items()},
            )
            axes.set(xlabel=f"i / {self.letter}", ylabel=f"{self.letter} qᵢ")
            axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        return axes

    def _repr_html_(self) -> str:
        params = ", ".join(f"{name} = {value}" for name, value in self.params.items())
        places = sorted({round(part * (self.indices.size - 1)) for part in (0.0, 0.25, 0.5, 0.75, 1.0)})
        head = ["i", *(f"m q, level {level:.9g}" for level in self.levels), "m × envelope", "improved"]
        lines = [head]
        for i in places:
            values = [*self.quantile_upper[:, i], self.envelope[i], self.envelope_improved[i]]
            lines.append([str(self.indices[i]), *(up(self.slots * value) for value in values)])
        body = "".join("<tr>" + "".join(f"<td>{escape(text)}</td>" for text in line) + "</tr>" for line in lines)
        return f"<table><caption>{escape(f'posterior trajectory, {self.protocol}: {params}')}</caption>{body}</table>"
