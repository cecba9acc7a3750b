"""Is this privacy amplification theorem true, how tight is it, and where does its proof lose? Certified.

>>> import pldcheck
>>> pldcheck.HiddenSlot(steps=1000, eps0=1.0).epsilon(delta=1e-6)  # doctest: +SKIP
Interval(lower=0.13056..., upper=0.13064..., quantity='epsilon')
"""

from typing import TYPE_CHECKING

from .core.lazy import lazy_parts

__version__ = "0.1.0"

__all__ = [
    "AnswerTable",
    "Averaged",
    "BallsInBins",
    "CheckIn",
    "Composition",
    "ConditionError",
    "DecayingBudgets",
    "ErrorBudget",
    "FixedBatches",
    "Gaussian",
    "GaussianMean",
    "GaussianMixture",
    "Grid",
    "HiddenSlot",
    "Interval",
    "Job",
    "Laplace",
    "MatrixMechanism",
    "MixedPair",
    "OwnMechanism",
    "ParameterError",
    "PersonalShuffle",
    "PldcheckError",
    "REGISTRY",
    "RandomAllocation",
    "RandomizedResponse",
    "ReusedSample",
    "SampledShuffle",
    "Shuffle",
    "ShuffledBatches",
    "SlidingWindow",
    "SubsampledGaussian",
    "SubsampledRandomizedResponse",
    "Swap",
    "TableMechanism",
    "Training",
    "TruncatedPoisson",
    "UnknownNameError",
    "assert_accountant_sound",
    "assert_sound",
    "assert_tightness",
    "audit",
    "audit_sampler",
    "calibrate",
    "sweep",
    "theorem",
    "verify",
]

# Everything is imported when first asked for: `pldcheck --help` needs no numpy, and where pldcheck is installed every
# start of pytest imports this file.
if TYPE_CHECKING:
    from . import accounting as accounting
    from . import core as core
    from . import drawing as drawing
    from . import hidden_slot as hidden_slot
    from . import pld as pld
    from . import protocols as protocols
    from . import randomizers as randomizers
    from . import report as report
    from . import shuffling as shuffling
    from . import study as study
    from . import testing as testing
    from . import theorems as theorems
    from . import training as training
    from . import verification as verification
    from . import witness as witness
    from .accounting.calibration import calibrate
    from .core.errors import ConditionError, ParameterError, PldcheckError, UnknownNameError
    from .core.interval import ErrorBudget, Interval
    from .protocols import (
        AnswerTable,
        Averaged,
        BallsInBins,
        CheckIn,
        Composition,
        DecayingBudgets,
        FixedBatches,
        Gaussian,
        GaussianMean,
        GaussianMixture,
        HiddenSlot,
        Laplace,
        MatrixMechanism,
        MixedPair,
        OwnMechanism,
        PersonalShuffle,
        RandomAllocation,
        RandomizedResponse,
        ReusedSample,
        SampledShuffle,
        Shuffle,
        ShuffledBatches,
        SlidingWindow,
        SubsampledGaussian,
        SubsampledRandomizedResponse,
        Swap,
        TableMechanism,
        TruncatedPoisson,
        sweep,
    )
    from .study.audit import audit
    from .study.sampler_audit import audit_sampler
    from .testing import assert_accountant_sound, assert_sound, assert_tightness, theorem, verify
    from .theorems import REGISTRY
    from .training import Training
    from .verification.suites import Grid, Job
else:
    __getattr__, __dir__ = lazy_parts(
        __name__,
        {
            "accounting": (),
            "accounting.calibration": ("calibrate",),
            "core": (),
            "core.errors": ("ConditionError", "ParameterError", "PldcheckError", "UnknownNameError"),
            "core.interval": ("ErrorBudget", "Interval"),
            "drawing": (),
            "hidden_slot": (),
            "pld": (),
            "protocols": (
                "AnswerTable",
                "Averaged",
                "BallsInBins",
                "CheckIn",
                "Composition",
                "DecayingBudgets",
                "FixedBatches",
                "Gaussian",
                "GaussianMean",
                "GaussianMixture",
                "HiddenSlot",
                "Laplace",
                "MatrixMechanism",
                "MixedPair",
                "OwnMechanism",
                "PersonalShuffle",
                "RandomAllocation",
                "RandomizedResponse",
                "ReusedSample",
                "SampledShuffle",
                "Shuffle",
                "ShuffledBatches",
                "SlidingWindow",
                "SubsampledGaussian",
                "SubsampledRandomizedResponse",
                "Swap",
                "TableMechanism",
                "TruncatedPoisson",
                "sweep",
            ),
            "randomizers": (),
            "report": (),
            "shuffling": (),
            "study": (),
            "study.audit": ("audit",),
            "study.sampler_audit": ("audit_sampler",),
            "testing": ("assert_accountant_sound", "assert_sound", "assert_tightness", "theorem", "verify"),
            "theorems": ("REGISTRY",),
            "training": ("Training",),
            "verification": (),
            "verification.suites": ("Grid", "Job"),
            "witness": (),
        },
        [*__all__, "__version__"],
    )
