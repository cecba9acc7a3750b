"""A training run in its own words: records, batch size, epochs and noise, and how the data loader draws.

:mod:`~pldcheck.training.training_run` has :class:`Training`, whose answers are certified;
:mod:`~pldcheck.training.samplings` has the samplings, each with its definition, and
:mod:`~pldcheck.training.shuffled_epochs` the bounds of shuffled batches whose last one is smaller.
"""

from __future__ import annotations

from .samplings import SAMPLINGS as SAMPLINGS
from .training_run import Training as Training

__all__ = ["SAMPLINGS", "Training"]
