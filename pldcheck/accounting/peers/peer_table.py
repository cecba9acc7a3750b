"""The table of peers: other accountants, their packages, and the mechanisms for which they have answers."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from types import MappingProxyType

from ...core.errors import ParameterError, PldcheckError, UnknownNameError

# The beginning of an environment variable such as PLDCHECK_PEER_PRV, which names the interpreter that has the peer; by
# default that is the interpreter of this process.
VARIABLE = "PLDCHECK_PEER_"


@dataclass(frozen=True)
class Peer:
    """An accountant of another project.

    Parameters
    ----------
    name : str
        Its name in pldcheck.
    distribution, module : str
        The names by which it is installed and imported.
    ways : mapping
        The kinds of mechanisms (:mod:`pldcheck.accounting.peers.peer_point`) that each of its accountants takes, by the
        name of the way to call it; ``""`` is the usual way.

    """

    name: str
    distribution: str
    module: str
    ways: Mapping[str, frozenset[str]]

    @property
    def variable(self) -> str:
        """The environment variable that names the interpreter which has the peer."""
        return VARIABLE + self.name.upper()

    @property
    def version(self) -> str | None:
        """The version that is installed beside pldcheck, or None."""
        try:
            return metadata.version(self.distribution)
        except metadata.PackageNotFoundError:
            return None

    def interpreter(self, python: str | None = None) -> str:
        """Return the interpreter that runs the peer: ``python``, else that of its variable, else this one."""
        path = python or os.environ.get(self.variable) or sys.executable
        executable = shutil.which(path)
        if executable is None:
            raise ParameterError("python", f"an interpreter that can be run for {self.name}", path)
        return os.path.abspath(executable)  # symbolic links stay: a virtual environment depends on them

    def elsewhere(self, python: str | None = None) -> bool:
        """Return whether the peer has an interpreter of its own."""
        return bool(python or os.environ.get(self.variable))


def _kinds(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ALL = (
    Peer(
        "dp_accounting",
        "dp-accounting",
        "dp_accounting",
        {
            "": _kinds(
                "rr gaussian laplace discrete-laplace subsampled-gaussian replaced-subsampled-gaussian reused-sample"
            ),
            "rdp": _kinds("rr gaussian laplace subsampled-gaussian fixed-size-gaussian reused-sample"),
            "pessimistic": _kinds("rr gaussian laplace discrete-laplace subsampled-gaussian gaussian-mixture"),
            "optimistic": _kinds("rr gaussian laplace discrete-laplace subsampled-gaussian gaussian-mixture"),
        },
    ),
    Peer(
        "prv", "prv-accountant", "prv_accountant", {"": _kinds("rr gaussian laplace subsampled-gaussian reused-sample")}
    ),
    Peer("PLD_accounting", "PLD_accounting", "PLD_accounting", {"": _kinds("random-allocation subsampled-gaussian")}),
    Peer(
        "autodp",
        "autodp",
        "autodp",
        {
            "": _kinds("rr gaussian laplace subsampled-gaussian fixed-size-gaussian reused-sample"),
            "fourier": _kinds("rr gaussian laplace"),
        },
    ),
    Peer(
        "opendp",
        "opendp",
        "opendp",
        {
            "": _kinds("rr gaussian laplace discrete-gaussian discrete-laplace fixed-size-gaussian reused-sample"),
            "apart": _kinds("fixed-size-gaussian reused-sample"),
        },
    ),
    Peer(
        "opacus",
        "opacus",
        "opacus",
        {
            "": _kinds("gaussian subsampled-gaussian reused-sample"),
            "prv": _kinds("gaussian subsampled-gaussian reused-sample"),
            "gdp": _kinds("subsampled-gaussian reused-sample"),
        },
    ),
)
PEERS: Mapping[str, Peer] = MappingProxyType({peer.name: peer for peer in _ALL})


def parse_peer(text: str) -> tuple[Peer, str]:
    """Return the peer and the way for the text ``NAME`` or ``NAME:WAY``; raise UnknownNameError for other names.

    A peer with one accountant is given without a way, or PldcheckError is raised.
    """
    name, _, way = text.partition(":")
    plain = name.strip().lower().replace("-", "_")
    for peer in _ALL:
        if plain in {peer.name.lower(), peer.module.lower()}:
            if way and len(peer.ways) == 1:
                raise PldcheckError(f"{peer.name} has only one accountant; write {peer.name} and not {text}")
            if way not in peer.ways:
                raise UnknownNameError(f"way of {peer.name}", way, [one for one in peer.ways if one])
            return peer, way
    raise UnknownNameError("peer", name, PEERS)


def installed_peers(python: Mapping[str, str] | None = None) -> list[str]:
    """Return the names of the peers that are installed beside pldcheck or have an interpreter of their own."""
    return [peer.name for peer in _ALL if peer.version or peer.elsewhere((python or {}).get(peer.name))]
