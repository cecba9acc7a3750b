"""Scenes of the theorems of this paper that are not stated for the whole of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = {
    "bbg18-3": "laplace-curve",
    "bbg18-8": "poisson-curve",
    "bbg18-9": "batch-curve",
    "bbg18-10": "sampled-response-curve",
    "bbg18-10-single": "batch-replaced-misread",
    "linear-amplification": "sampled-response-misread",
    "reused-apart": "reused-sample-misread",
    "reused-together": "reused-sample-curve",
}
