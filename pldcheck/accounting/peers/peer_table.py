"""The peers: other accountants, where each is found, and which mechanisms it can be asked about."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from types import MappingProxyType

from ...core.errors import ParameterError, UnknownNameError

# Names an interpreter that has the peer, as PLDCHECK_PEER_PRV; otherwise it is the one that runs this.
VARIABLE = "PLDCHECK_PEER_"


@dataclass(frozen=True)
class Peer:
    """An accountant by others.

    ``ways`` maps each way of asking it to the kinds of mechanisms (:mod:`pldcheck.accounting.peers.peer_point`) that
    it takes; the first, named ``""``, is the usual one.  ``module`` and ``distribution``: its names to import and to
    install.
    """

    name: str
    distribution: str
    module: str
    ways: Mapping[str, frozenset[str]]

    @property
    def variable(self) -> str:
        """The environment variable that names its interpreter."""
        return VARIABLE + self.name.upper()

    @property
    def version(self) -> str | None:
        """The version installed beside pldcheck; None if there is none."""
        try:
            return metadata.version(self.distribution)
        except metadata.PackageNotFoundError:
            return None

    def interpreter(self, given: str | None = None) -> str:
        """Return the Python that runs it: the one given, else that of its variable, else this one."""
        path = given or os.environ.get(self.variable) or sys.executable
        found = shutil.which(path)
        if found is None:
            raise ParameterError("python", f"an interpreter that can be run for {self.name}", path)
        return os.path.abspath(found)  # its links are kept: they make a virtual environment what it is

    def elsewhere(self, given: str | None = None) -> bool:
        """Return whether it has an interpreter of its own."""
        return bool(given or os.environ.get(self.variable))


def _kinds(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ALL = (
    Peer(
        "dp_accounting",
        "dp-accounting",
        "dp_accounting",
        {
            "": _kinds("rr gaussian laplace discrete-laplace subsampled-gaussian"),
            "rdp": _kinds("rr gaussian laplace subsampled-gaussian fixed-size-gaussian"),
            "pessimistic": _kinds("rr gaussian laplace discrete-laplace subsampled-gaussian"),
            "optimistic": _kinds("rr gaussian laplace discrete-laplace subsampled-gaussian"),
        },
    ),
    Peer("prv", "prv-accountant", "prv_accountant", {"": _kinds("rr gaussian laplace subsampled-gaussian")}),
    Peer("PLD_accounting", "PLD_accounting", "PLD_accounting", {"": _kinds("random-allocation")}),
    Peer(
        "autodp",
        "autodp",
        "autodp",
        {
            "": _kinds("rr gaussian laplace subsampled-gaussian fixed-size-gaussian"),
            "fourier": _kinds("rr gaussian laplace"),
        },
    ),
    Peer("opendp", "opendp", "opendp", {"": _kinds("rr gaussian laplace discrete-gaussian discrete-laplace")}),
)
PEERS: Mapping[str, Peer] = MappingProxyType({peer.name: peer for peer in _ALL})


def named(text: str) -> tuple[Peer, str]:
    """Return the peer and the way that ``NAME`` or ``NAME:WAY`` stands for; raises UnknownNameError."""
    name, _, way = text.partition(":")
    plain = name.strip().lower().replace("-", "_")
    for peer in _ALL:
        if plain in {peer.name.lower(), peer.module.lower()}:
            if way and len(peer.ways) == 1:
                raise ParameterError("peers", f"{peer.name} alone, which is asked in one way", text)
            if way not in peer.ways:
                raise UnknownNameError(f"way of {peer.name}", way, [one for one in peer.ways if one])
            return peer, way
    raise UnknownNameError("peer", name, PEERS)


def installed(python: Mapping[str, str] | None = None) -> list[str]:
    """Return names of the peers that are beside pldcheck or have an interpreter of their own."""
    return [peer.name for peer in _ALL if peer.version or peer.elsewhere((python or {}).get(peer.name))]
