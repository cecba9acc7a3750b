"""The provenance of a stored run: version, commit, command, libraries, machine and time."""

from __future__ import annotations

import filecmp
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import pldcheck

# The folder of the package.
PACKAGE = Path(pldcheck.__file__).parent
# The libraries whose version can change a number or a picture.
LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "dp-accounting", "matplotlib")


def version(library: str) -> str | None:
    """Return the version of an installed library, or None if it is not installed."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def provenance(command: str) -> dict[str, Any]:
    """Return the provenance of a run of ``command`` that starts now; it does not identify the user."""
    return {
        "version": pldcheck.__version__,
        "commit": commit(),
        "command": command,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "libraries": {library: version(library) for library in LIBRARIES},
        "machine": {"system": platform.system(), "cpu": _cpu(), "cores": os.cpu_count()},
    }


def commit() -> str | None:
    """Return the commit of the checkout that this code is from, or None without one.

    The commit has the suffix ``-dirty`` if the package has uncommitted changes.
    """
    checkout = next((folder for folder in (PACKAGE.parent, Path.cwd()) if _is_ours(folder)), None)
    if checkout is None:
        return None
    try:
        changes = _git(checkout, "status", "--porcelain", "--", PACKAGE.name)
        return _git(checkout, "rev-parse", "--verify", "HEAD") + ("-dirty" if changes else "")
    except (OSError, subprocess.SubprocessError):  # no git, or no commit yet
        return None


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()


def _is_ours(folder: Path) -> bool:
    """Return whether ``folder`` is a checkout whose code is the code that runs, even as an installed copy."""
    if not (folder / ".git").exists():
        return False
    names = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")]
    source = folder / PACKAGE.name
    return source == PACKAGE or not any(filecmp.cmpfiles(PACKAGE, source, map(str, names), shallow=False)[1:])


def _cpu() -> str | None:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, None) or platform.processor() or None
