"""Certified delta at many epsilons, as a table."""

from __future__ import annotations

from dataclasses import dataclass

from ..core.data_frames import pandas
from ..core.outward_decimals import between, down, up
from .step_losses import Array


@dataclass(frozen=True, eq=False)
class DeltaCurve:
    """delta at many epsilons: ``lower <= delta <= upper``, arrays of one length."""

    epsilons: Array
    lower: Array
    upper: Array

    def to_pandas(self):
        """Return a pandas DataFrame with the columns epsilon, lower, upper."""
        return pandas().DataFrame({"epsilon": self.epsilons, "lower": self.lower, "upper": self.upper})

    def __repr__(self) -> str:
        """Return the class and its rows: numpy would round the ends to nearest, which is inward half of the time."""
        rows = zip(self.epsilons, self.lower, self.upper, strict=True)
        lines = [f"    {float(epsilon)!r}: {between(low, high)}" for epsilon, low, high in rows]
        return "\n".join(["<DeltaCurve, delta at each epsilon:", *lines]) + ">"

    def __len__(self) -> int:
        return self.epsilons.size

    def _repr_html_(self) -> str:
        rows = zip(self.epsilons, self.lower, self.upper, strict=True)
        body = "".join(
            f"<tr><td>{float(e)!r}</td><td>{down(low, 10)}</td><td>{up(high, 10)}</td></tr>" for e, low, high in rows
        )
        head = "<tr><th>epsilon</th><th>delta, lower</th><th>upper</th></tr>"
        return f"<table><caption>certified delta</caption>{head}{body}</table>"
