"""What a stored run has to say of its origin: version, commit, command, libraries, machine, time."""

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

PACKAGE = Path(pldcheck.__file__).parent
# Those whose version can change a number or a picture.
LIBRARIES = ("numpy", "scipy", "numba", "llvmlite", "dp-accounting", "matplotlib")


def version(library: str) -> str | None:
    """Return the installed version; None for what is not installed."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


def provenance(command: str) -> dict[str, Any]:
    """Where, when and with what ``command`` is run now; nothing in it tells who runs it."""
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
    """Return the commit of the checkout this code is from, ``-dirty`` if the code was changed since; else None."""
    checkout = next((folder for folder in (PACKAGE.parent, Path.cwd()) if _is_ours(folder)), None)
    if checkout is None:
        return None
    try:
        changed = _git(checkout, "status", "--porcelain", "--", PACKAGE.name)
        return _git(checkout, "rev-parse", "--verify", "HEAD") + ("-dirty" if changed else "")
    except (OSError, subprocess.SubprocessError):  # no git, or no commit yet
        return None


def _git(folder: Path, *words: str) -> str:
    command = ["git", "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()


def _is_ours(folder: Path) -> bool:
    """Return whether ``folder`` is a checkout whose code is what runs, even if a copy of it was installed."""
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
