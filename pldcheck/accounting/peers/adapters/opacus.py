"""opacus: its RDPAccountant, its PRVAccountant (``prv``), and its GaussianAccountant (``gdp``), a central limit.

All three know Poisson samples with Gaussian noise, a record added or removed; every record is in a sample of rate 1.  A
sample that is used for several releases is asked as one release with the noise divided by the root of their number, to
which it is equivalent.
"""

from __future__ import annotations

from math import sqrt

from opacus.accountants import GaussianAccountant, PRVAccountant, RDPAccountant

# The accountant of each way.
ACCOUNTANTS = {"": RDPAccountant, "prv": PRVAccountant, "gdp": GaussianAccountant}


def claim(question):
    """Return the claim of an upper end."""
    if question["quantity"] == "delta":
        raise NotImplementedError("delta at an epsilon")
    accountant = ACCOUNTANTS[question["way"]]()
    accountant.history = [_entry(part["kind"], part["numbers"], part["count"]) for part in question["parts"]]
    if question["way"] == "gdp" and len(accountant.history) > 1:
        raise NotImplementedError("different steps")
    end = accountant.get_epsilon(float(question["at"]))
    plain = all(part["kind"] == "gaussian" for part in question["parts"])
    how = f"{type(accountant).__name__}.get_epsilon"
    return {"lower": None, "upper": end, "adjacency": "any" if plain else "add-remove", "how": how}


def _entry(kind, numbers, count):
    """Return an entry of a history: the noise, the rate, and the number of steps."""
    if kind == "gaussian":
        return numbers["sigma"], 1.0, count
    if kind == "subsampled-gaussian":
        return numbers["sigma"], numbers["rate"], count
    if kind == "reused-sample" and numbers["sampling"] == "poisson":
        return numbers["sigma"] / sqrt(numbers["releases"]), numbers["rate"], numbers["steps"]
    raise NotImplementedError(kind)
