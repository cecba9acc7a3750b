"""The witness and the certificate of a question of a corpus, where they exist, as files beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..core.errors import PldcheckError
from ..protocols import Protocol
from ..verification.runs import run_store
from . import witness_files
from .upper_certificates import certificate


def write_evidence(mechanism: Any, quantity: str, at: float, folder: str, stem: str) -> dict[str, str]:
    """Write what shows the ends of an answer, and return the names of the files, with their folder's, by kind.

    Parameters
    ----------
    mechanism : Protocol or PrivacyLossDistribution
        The mechanism; one direction of a sampled mechanism has no files.
    quantity : {"epsilon", "delta"}
        The quantity; only an epsilon has a witness.
    at : float
        The value of the other one.
    folder, stem : str
        The folder of the files, and the beginning of their names.

    """
    names: dict[str, str] = {}
    if not isinstance(mechanism, Protocol):
        return names
    place = Path(folder)
    if quantity == "epsilon":
        try:
            content = witness_files.dumps(witness_files.of_question(mechanism, at))
        except PldcheckError:
            pass  # most mechanisms have no table of exact probabilities
        else:
            run_store.write(place / f"{stem}-witness.json", content)
            names["witness"] = f"{place.name}/{stem}-witness.json"
    try:
        record = certificate(mechanism, **{"delta" if quantity == "epsilon" else "epsilon": at})
    except PldcheckError:
        return names
    run_store.write(place / f"{stem}-certificate.json", record.dumps())
    return {**names, "certificate": f"{place.name}/{stem}-certificate.json"}
