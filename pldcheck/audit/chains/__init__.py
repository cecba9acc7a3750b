"""The chains there are, by theorem, in the order of the files."""

from collections.abc import Mapping

from ..step import Chain
from . import (
    approximate,
    averaged,
    bins,
    check_in,
    dummies,
    earlier,
    lemmas,
    loads,
    repeated,
    shuffling,
    swapping,
    utility,
    utility_averaged,
)

_FILES = (
    *(lemmas, check_in, repeated, approximate),
    *(swapping, shuffling, earlier, bins, loads, averaged),
    *(dummies, utility, utility_averaged),
)

CHAINS: Mapping[str, Chain] = {chain.theorem: chain for file in _FILES for chain in file.CHAINS}
