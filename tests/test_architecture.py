"""Who may import whom inside pldcheck.  This table is the architecture; a new module must be given a row."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pldcheck
from pldcheck.batch.identity import ELSEWHERE

ROOT = Path(pldcheck.__file__).parent

GROUND = {"errors", "parameters", "interval"}
MAY_IMPORT = {
    "errors": set(),
    "parameters": {"errors"},
    "interval": set(),
    "threads": set(),
    "kernels": set(),
    "laws": set(),
    "fourier": {"kernels", "laws"},
    "minimax": {"kernels", "interval", "laws", "fourier"},
    "pld": GROUND | {"kernels"},
    "population": GROUND | {"threads", "kernels", "laws", "fourier", "minimax"},
    "trajectories": GROUND | {"kernels", "laws"},
    "shuffle": GROUND | {"kernels", "minimax", "pld"},
    "allocation": GROUND | {"kernels", "laws", "fourier", "pld", "shuffle"},
    "protocols": GROUND | {"threads", "allocation", "kernels", "minimax", "pld", "shuffle", "population"},
    "interop": GROUND | {"pld", "protocols", "shuffle"},
    "theorems": {"errors", "parameters"},  # theorem and number meet only in verify
    "suites": {"errors", "parameters", "protocols", "theorems"},
    "verify": GROUND | {"protocols", "theorems", "suites"},
    "audit": GROUND | {"kernels", "laws", "pld", "protocols", "shuffle", "theorems", "verify", "witness"},
    "dominance": {"errors", "parameters", "suites", "theorems"},
    "mutation": GROUND | {"theorems", "suites", "verify", "batch", "audit"},
    "findings": GROUND | {"theorems", "suites", "verify", "batch", "audit", "dominance", "report"},
    "calibration": GROUND | {"protocols"},
    "attack": GROUND | {"threads", "kernels", "laws", "minimax", "protocols", "report"},
    "peers": GROUND | {"protocols"},
    "batch": GROUND | {"suites", "theorems", "verify"},
    "witness": GROUND | {"laws", "protocols", "theorems", "verify"},
    "waterfall": GROUND | {"laws", "pld", "protocols", "shuffle", "theorems"},
    "comparisons": GROUND | {"protocols", "shuffle", "theorems", "population"},
    "testing": GROUND | {"protocols", "theorems", "suites", "verify"},
    "report": GROUND | {"theorems", "trajectories", "waterfall", "comparisons", "verify", "suites"},
    "simulate": GROUND | {"threads", "kernels", "laws", "report"},
    "cli": GROUND
    | {"protocols", "theorems", "trajectories", "waterfall", "comparisons", "suites", "verify", "batch", "report"}
    | {"audit", "dominance", "mutation", "findings"}
    | {"attack", "calibration", "simulate", "witness", "peers"},
}


def floor(module: Path) -> str:
    return module.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(module: Path) -> set[str]:
    """The floors a module imports, wherever in it the import stands."""
    package = ("pldcheck", *module.relative_to(ROOT).parts[:-1])
    found = set()
    for node in ast.walk(ast.parse(module.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            stem = ".".join(part for part in (base, node.module) if part)
            names = [stem] if stem != "pldcheck" else [f"pldcheck.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("pldcheck.")}
    return found


MODULES = sorted(
    path for path in ROOT.rglob("*.py") if path.name not in {"__init__.py", "__main__.py"} or path.parent != ROOT
)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(module):
    name = floor(module)
    assert name in MAY_IMPORT, f"{name} has no row in the table"
    assert imported(module) - {name} <= MAY_IMPORT[name]


def test_the_table_has_no_cycles():
    height = {}
    while len(height) < len(MAY_IMPORT):
        ready = [name for name, below in MAY_IMPORT.items() if name not in height and below <= height.keys()]
        assert ready, "cycle"
        height |= {name: len(height) for name in ready}


def test_only_kernels_use_numba_and_none_uses_fastmath():
    for module in MODULES:
        text = module.read_text()
        if floor(module) != "kernels":
            assert "numba" not in {
                line.split()[1].split(".")[0] for line in text.splitlines() if line.startswith(("import ", "from "))
            }
        assert "fastmath=True" not in text and '"fastmath": True' not in text


def test_importing_pldcheck_is_light():
    code = "import sys, pldcheck; print(sorted({'numpy', 'scipy', 'numba', 'matplotlib'} & set(sys.modules)))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


@pytest.mark.slow
def test_kernels_work_without_a_place_to_cache_them(tmp_path):
    # numba raises "no locator available" when neither the package nor the home folder can be written (numba issue
    # 4908).
    code = (
        "import numba.core.caching as caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "import pldcheck\n"
        "print(pldcheck.HiddenSlot(3, 1.0).epsilon(1e-3).relative_width < 1e-9)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.strip() == "True", done.stderr


def test_stored_cells_grow_stale_with_what_verify_reaches():
    reached, new = set(), {"verify"}
    while new:
        reached |= new
        new = {below for name in new for below in MAY_IMPORT[name]} - reached
    # Which cells there are is part of a cell's own identity.
    decides = {name for name in MAY_IMPORT if name not in {entry.removesuffix(".py") for entry in ELSEWHERE}}
    assert decides == reached - {"suites"}


def test_no_two_files_of_the_tests_have_one_name():
    # The folders are no packages: of two modules with one name only the first is imported.
    names = [path.name for path in Path(__file__).parent.rglob("*.py") if path.name != "conftest.py"]
    assert sorted(names) == sorted(set(names))
