"""Theorems of your own under pytest: a decorator defines them, an assertion compares them with certified intervals.

>>> import pldcheck
>>> from math import expm1, log, sqrt
>>> @pldcheck.theorem(protocol="hidden-slot", conditions=[("eps0 <= 1", lambda eps0: eps0 <= 1)])
... def plain_root(steps, eps0, delta):
...     "One record in one of m slots costs what is added here."
...     return expm1(eps0) * sqrt(-4 * log(delta) / steps)
>>> plain_root(steps=1000, eps0=1.0, delta=1e-6)
Bound('plain_root', epsilon=0.403932, delta_total=1e-06)
>>> report = pldcheck.assert_sound(plain_root, grid={"steps": [100, 1000], "eps0": [0.5, 2], "delta": 1e-6})
>>> [str(row.verdict) for row in report.rows]
['HOLDS', 'OUT-OF-CONDITIONS', 'HOLDS', 'OUT-OF-CONDITIONS']

A false theorem fails its test with the cell, the claim, the interval, the witness and the commands that repeat it.  One
of them is ``pldcheck verify tests/test_bounds.py:plain_root --cell steps=100 ... --certify``: for that cell, or without
``--cell`` for the theorem's grid, it writes rows, figures, witnesses and certificates, and prints the commands that
check these without this package.  ``pldcheck.verify(plain_root, certify=True)`` does the same in a notebook.

:func:`assert_tightness` bounds how many times the truth a bound may be.  The fixture ``pldcheck_golden`` keeps a report
in ``results/`` (ini option ``pldcheck_results``), and later runs must overlap with it:

.. code-block:: python

    def test_plain_root(pldcheck_golden):
        report = pldcheck.assert_sound(plain_root, grid={"steps": [10, 10**6], "eps0": [0.5, 1], "delta": 1e-6})
        pldcheck.assert_tightness(plain_root, at_most=11, grid={"steps": [10, 1000], "eps0": [1], "delta": 1e-6})
        pldcheck_golden.check(report, "plain_root")

:func:`assert_accountant_sound` judges an accountant of your own by points whose truth is certified.

``pytest --pldcheck-update`` writes these files, ``--pldcheck-quick`` takes the ends of each axis only, and
``--pldcheck-workers N`` sets the number of threads.

Imports are deferred, because pytest loads :mod:`pldcheck.testing.plugin` at every start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.lazy import lazy_parts

__all__ = [
    "GoldenWarning",
    "Goldens",
    "assert_accountant_sound",
    "assert_sound",
    "assert_tightness",
    "theorem",
    "verify",
]

if TYPE_CHECKING:
    from . import goldens as goldens
    from .accountant_assertion import assert_accountant_sound as assert_accountant_sound
    from .assertions import assert_sound as assert_sound
    from .assertions import assert_tightness as assert_tightness
    from .certified_run import verify as verify
    from .goldens import Goldens as Goldens
    from .goldens import GoldenWarning as GoldenWarning
    from .theorem_decorator import theorem as theorem
else:
    __getattr__, __dir__ = lazy_parts(
        __name__,
        {
            "accountant_assertion": ("assert_accountant_sound",),
            "assertions": ("assert_sound", "assert_tightness"),
            "certified_run": ("verify",),
            "goldens": ("Goldens", "GoldenWarning"),
            "theorem_decorator": ("theorem",),
        },
        __all__,
    )
