"""Who may import whom inside pldcheck.  These tables are the architecture; a new room must be given a row."""

import ast
import os
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import pldcheck
from pldcheck.verification.runs.cell_identity import ELSEWHERE

ROOT = Path(pldcheck.__file__).parent

# Of each room, the rooms below it that it may import.
ROOMS = {
    "core": set(),
    "drawing": {"core"},
    "kernels": {"core"},
    "pld": {"core", "kernels"},
    "randomizers": {"core"},
    "hidden_slot": {"core", "kernels", "pld", "randomizers"},
    "shuffling": {"core", "kernels", "pld", "randomizers", "hidden_slot"},
    "protocols": {"core", "drawing", "kernels", "pld", "randomizers", "hidden_slot", "shuffling"},
    "theorems": {"core"},  # theorem and number meet only in verification
    "verification": {"core", "drawing", "protocols", "theorems"},
    "checkers": set(),  # they are copied whole and need the standard library alone
    "witness": {"core", "checkers", "randomizers", "shuffling", "hidden_slot", "protocols", "theorems", "verification"},
    "accounting": {"core", "pld", "randomizers", "shuffling", "protocols"},
    "training": {"core", "drawing", "pld", "hidden_slot", "protocols"},
    "report": {"core", "drawing", "theorems", "verification"},
    "testing": {"core", "protocols", "theorems", "verification", "witness", "report"},
    "study": {
        *("core", "drawing", "kernels", "pld", "randomizers", "hidden_slot", "shuffling", "protocols"),
        *("theorems", "verification", "report"),
    },
    "cli": {
        *("core", "checkers", "hidden_slot", "randomizers", "protocols", "theorems"),
        *("verification", "witness", "accounting", "training", "report", "testing", "study"),
    },
}
# What statements and reductions in the folder of a paper are written with.
STATEMENT_MODULES = ("theorem", "reduction", "remark")
# What proofs there are written with.
PROOF_MODULES = ("proof_step", "removable_quotients", "shared_steps")
# Papers of the suite "field" whose formulas stand alone.
FIELD_PAPERS = (
    *("abadi16", "balle19", "bun16", "bun18", "dwork14", "feldman25", "gopi21", "kairouz15", "mironov17", "rogers16"),
    *("whitehouse23", "zhu19", "biswas23", "girgis21sampled"),
)
# Of each folder or file inside some rooms, those of the same room that it may import.
FOLDERS = {
    "hidden_slot": {
        "worst": set(),
        "hidden_slot_problem": {"worst"},
        "worst_epochs": {"worst"},
        "approximate": {"worst", "worst_epochs"},
        "worst_answers": {"worst", "worst_epochs", "approximate", "hidden_slot_problem"},
        "population": {"worst", "worst_epochs", "worst_answers", "hidden_slot_problem"},
        "known": {"worst"},
        "replaced": {"known", "worst"},
        "known_slot_answers": {"known", "replaced"},
        "known_randomizer_slot": {
            *("hidden_slot_problem", "known", "known_slot_answers", "worst", "worst_answers", "worst_epochs"),
        },
        "slot_renyi": {"hidden_slot_problem", "known", "known_randomizer_slot", "worst", "worst_epochs"},
        # It reaches both engines through the package, which loads the one that is asked.
        "hidden_slot_answers": {"", "hidden_slot_problem", "known_randomizer_slot", "slot_renyi", "worst_answers"},
    },
    "study": {
        "attack": set(),
        "sampler_audit": {"attack"},
        "simulate": {"attack"},
        "comparisons": set(),
        "trajectories": set(),
        "waterfall": set(),
        "audit": set(),
        "dominance": set(),
        "mutation": {"audit"},
        "findings": {"audit", "dominance"},
        "stored_tables": {"comparisons", "findings", "waterfall"},
        "stored_studies": {"attack", "comparisons", "stored_tables", "trajectories", "waterfall"},
    },
    "theorems": {
        "claimed_bound": set(),
        "theorem": {"claimed_bound", "recalled"},
        "registry": {"theorem"},
        "reduction": set(),
        "statement": {"theorem"},
        "remark": {"theorem"},
        "proof_step": set(),
        "removable_quotients": set(),
        "shared_steps": {"proof_step", "removable_quotients"},
        "recalled": set(),
        "balle20": {*STATEMENT_MODULES, *PROOF_MODULES},
        "steinke22": {*STATEMENT_MODULES, *PROOF_MODULES},
        "erlingsson19": {*STATEMENT_MODULES, *PROOF_MODULES, "balle20", "recalled"},
        "feldman21": {*STATEMENT_MODULES, *PROOF_MODULES, "recalled"},
        "feldman22": {*STATEMENT_MODULES, *PROOF_MODULES, "feldman21", "recalled", "steinke22"},
        "chen24": {*STATEMENT_MODULES, *PROOF_MODULES, "recalled", "steinke22"},
        "girgis21": {*STATEMENT_MODULES, *PROOF_MODULES},
        "wang24": {*STATEMENT_MODULES, *PROOF_MODULES},
        **dict.fromkeys(FIELD_PAPERS, {"theorem", "recalled"}),
        # These use the curve of Gaussian noise, or the sum over sampled steps, of the survey.
        **dict.fromkeys(("balle18", "dong19", "mironov19", "vadhan17"), {"theorem", "recalled", "steinke22"}),
        "bu20": {"theorem", "recalled", "dong19"},
        "wang19": {"theorem", "recalled", "zhu19"},
        "chua24": {"theorem", "recalled", "steinke22", "feldman25"},
        "liew22": {"theorem", "recalled", "feldman25"},
        "steinke23": {*STATEMENT_MODULES},
        "statements": {"theorem", "statement", *PROOF_MODULES, "balle20"},
        "papers": {
            *(*STATEMENT_MODULES, *PROOF_MODULES, "balle20", "steinke22", "erlingsson19", "statements"),
            *("feldman21", "feldman22", "chen24", "girgis21", "wang24", "steinke23"),
            *(*FIELD_PAPERS, "balle18", "dong19", "mironov19", "vadhan17", "bu20", "wang19", "chua24", "liew22"),
        },
    },
    "accounting": {
        "calibration": set(),
        "interop": set(),
        "peers": set(),
        "corpus": {"peers"},
        "accountants": {"interop"},
    },
    "verification": {
        "suites": set(),
        "problem": {"suites"},
        "verdict": set(),
        "tightness_map": {"verdict"},
        "vacuous_claims": set(),
        "run_fold": {"tightness_map", "vacuous_claims", "verdict"},
        "run_rows": {"verdict"},
        "run_report": {"run_fold", "run_rows", "tightness_map", "verdict"},
        "run_cells": {"problem", "run_rows", "suites", "verdict"},
        "runs": {"", "problem", "run_fold", "run_report", "run_rows", "run_cells", "suites", "verdict"},
        "verify_job": {"run_cells", "run_report", "run_rows", "runs", "suites"},
    },
}

# Imports inside functions outside cli/, and why each cannot stand at the top of its file.
DEFERRED_IMPORTS = {
    ("core/data_frames.py", "pandas"): "optional: what lacks it says so in one line",
    ("accounting/accountants/jax_privacy_config.py", "jax_privacy"): "optional: what lacks it says so in one line",
    ("accounting/accountants/opacus_accountant.py", "opacus"): "optional: what lacks it says so in one line",
    ("kernels/_jit.py", "numba"): "a quarter of a second, which answers in plain Python do without",
    ("verification/runs/parquet_rows.py", "pyarrow"): "optional: what lacks it says so in one line",
    ("verification/runs/client_executors.py", "distributed"): "optional: what lacks it says so in one line",
    ("testing/notebook_progress.py", "IPython"): "it is there in a notebook only",
}


def place(module: Path, depth: int) -> str:
    """Return the room of a module (depth 0), or the folder or file in it (depth 1); empty for a package's own file."""
    parts = (*module.relative_to(ROOT).with_suffix("").parts, "")
    return "" if parts[depth] == "__init__" else parts[depth]


@cache
def syntax(module: Path) -> ast.Module:
    """Return the syntax tree of a file, which several tests walk over."""
    return ast.parse(module.read_text())


@cache
def targets(module: Path) -> frozenset[tuple[str, ...]]:
    """Return the modules of pldcheck that a module imports or reaches through a package, as parts after the first.

    An import counts wherever it stands.  ``hidden_slot.known.noise_ratios.GaussianNoise``, after ``from .. import
    hidden_slot``, is an arrow to ``hidden_slot/known/noise_ratios.py``, which the package loads at that moment.
    """
    tree = syntax(module)
    bound = _bound_names(module, tree)
    goals = {home(parts) for parts in bound.values()}
    goals |= {home((*bound[name[0]], *name[1:])) for name in _dotted_names(tree) if name[0] in bound}
    return frozenset(parts[1:] for parts in goals if len(parts) > 1)


def _bound_names(module: Path, tree: ast.AST) -> dict[str, tuple[str, ...]]:
    """Return what the imports of pldcheck in a file bind, each name with the dotted parts that it stands for."""
    package = ("pldcheck", *module.relative_to(ROOT).parts[:-1])
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            bound |= {alias.asname or alias.name: tuple(alias.name.split(".")) for alias in node.names}
            # `import pldcheck.pld` binds the first part alone, through which anything may be reached.
            first = {alias.name.partition(".")[0] for alias in node.names if not alias.asname}
            bound |= {name: (name,) for name in first}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            stem = (*base, *(node.module.split(".") if node.module else ()))
            bound |= {alias.asname or alias.name: (*stem, alias.name) for alias in node.names}
    return {name: parts for name, parts in bound.items() if parts[0] == "pldcheck"}


def _dotted_names(tree: ast.AST) -> set[tuple[str, ...]]:
    """Return names with attributes, such as ``pld.gaussian``, in parts."""
    chains = set()
    for node in ast.walk(tree):
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if parts and isinstance(node, ast.Name):
            chains.add((node.id, *reversed(parts)))
    return chains


def home(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the module that dotted parts lead to: where the name is defined, if a package offers it."""
    at = parts[:1]
    for part in parts[1:]:
        if _is_module((*at, part)):
            at = (*at, part)
        else:
            return names_offered(at).get(part, at)
    return at


@cache
def names_offered(package: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return the names that a package imports from its modules, at run time or for type checkers, with their
    modules.
    """
    file = ROOT.joinpath(*package[1:], "__init__.py")
    if not file.is_file():
        return {}
    bound = _bound_names(file, ast.parse(file.read_text()))
    return {name: home(parts) for name, parts in bound.items() if parts[:-1] != package}


@cache
def _is_module(parts: tuple[str, ...]) -> bool:
    file = ROOT.joinpath(*parts[1:])
    return parts[0] == "pldcheck" and (file.with_suffix(".py").is_file() or (file / "__init__.py").is_file())


def forget() -> None:
    """Forget what is known of the files of one place, before and after another is looked at."""
    names_offered.cache_clear()
    _is_module.cache_clear()


MODULES = sorted(
    path for path in ROOT.rglob("*.py") if path.name not in {"__init__.py", "__main__.py"} or path.parent != ROOT
)


def test_imports_point_one_way():
    for module in MODULES:
        room = place(module, 0)
        assert room in ROOMS, f"{room} has no row in the table"
        goals = targets(module)
        assert {target[0] for target in goals} - {room} <= ROOMS[room], module
        if room in FOLDERS and (inner := place(module, 1)):
            assert inner in FOLDERS[room], f"{room}/{inner} has no row in the table"
            own = {(*target, "")[1] for target in goals if target[0] == room}
            assert own - {inner} <= FOLDERS[room][inner], module


def test_arrows_through_packages_are_seen(tmp_path, monkeypatch):
    assert ("hidden_slot", "hidden_slot_answers") in targets(ROOT / "protocols" / "hidden_slot.py")
    assert ("hidden_slot", "known", "likelihood_epochs") in targets(ROOT / "protocols" / "random_allocation.py")
    assert {("pld", "mechanisms"), ("pld", "sampled_mechanisms")} <= targets(ROOT / "protocols" / "composition.py")
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    for name, text in {
        "__init__.py": "if TYPE_CHECKING:\n    from .low.inner import thing\n",
        "low/__init__.py": "from . import inner\nfrom .inner import other as another\n",
        "low/inner.py": "",
        "high.py": "import pldcheck.low as below\ndef asked():\n    return below.another(1).inner\n",
        "higher.py": "import pldcheck.low\npldcheck.thing\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    forget()
    try:
        assert targets(tmp_path / "high.py") == targets(tmp_path / "higher.py") == {("low",), ("low", "inner")}
    finally:
        forget()


def test_no_table_has_a_circle():
    for table in (ROOMS, *FOLDERS.values()):
        height = {"": 0}
        while len(height) <= len(table):
            ready = [name for name, below in table.items() if name not in height and below <= height.keys()]
            assert ready, "circle"
            height |= {name: len(height) for name in ready}


def test_no_files_import_each_other_in_a_circle():
    below = {module.relative_to(ROOT).with_suffix("").parts: targets(module) for module in MODULES}
    below = {name[:-1] if name[-1] == "__init__" else name: goals - {name} for name, goals in below.items()}
    # A package's own file joins what is in the package: its modules may not be told apart from it.
    files = {name for name in below if not (ROOT.joinpath(*name) / "__init__.py").is_file()}
    sorted_files: set[tuple[str, ...]] = set()
    while len(sorted_files) < len(files):
        ready = {name for name in files - sorted_files if (below[name] & files) <= sorted_files}
        assert ready, sorted(files - sorted_files)
        sorted_files |= ready


def test_there_are_at_most_eighteen_rooms():
    folders = {path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file()}
    assert folders == ROOMS.keys() and len(folders) <= 18


def test_file_names_are_unique():
    names = [path.name for path in MODULES if path.name not in ("__init__.py", "base.py")]
    assert sorted(names) == sorted(set(names))


def test_packages_say_what_they_offer():
    for module in ROOT.rglob("__init__.py"):
        tree = ast.parse(module.read_text())
        names = [
            alias.asname
            for node in tree.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if alias.asname == alias.name
        ]
        assert not names or "__all__" in module.read_text(), module


LAZY = [path for path in ROOT.rglob("__init__.py") if "lazy_parts(" in path.read_text()]


@pytest.mark.parametrize("file", LAZY, ids=lambda path: path.parent.relative_to(ROOT.parent).as_posix())
def test_lazy_packages_offer_what_type_checkers_see(file):
    name = ".".join(("pldcheck", *file.parent.relative_to(ROOT).parts))
    package, bound = import_module(name), _bound_names(file, ast.parse(file.read_text()))
    del bound["lazy_parts"]
    assert set(package.__all__) <= bound.keys()
    for word, parts in bound.items():
        module = import_module(".".join(home(parts)))
        assert package.__getattr__(word) is (module if _is_module(parts) else getattr(module, word)), word
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nothing'"):
        package.nothing  # noqa: B018


def test_only_kernels_use_numba_and_none_uses_fastmath():
    for module in MODULES:
        text = module.read_text()
        if place(module, 0) != "kernels":
            assert "numba" not in {
                line.split()[1].split(".")[0] for line in text.splitlines() if line.startswith(("import ", "from "))
            }
        assert "fastmath=True" not in text and '"fastmath": True' not in text


def deferred_imports(module: Path) -> set[tuple[str, str]]:
    """Return the file and the first or last part of what is imported, for each import inside a function of a module."""
    file = module.relative_to(ROOT).as_posix()
    functions = (node for node in ast.walk(syntax(module)) if isinstance(node, ast.FunctionDef))
    imports = set()
    for node in (inner for function in functions for inner in ast.walk(function)):
        if isinstance(node, ast.Import):
            imports |= {(file, alias.name.partition(".")[0]) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imports.add((file, (node.module or "").partition(".")[0]))
    return imports


def test_imports_stand_at_the_top_of_files_but_for_the_listed():
    rooms = ROOMS.keys() - {"cli"}
    assert set().union(*(deferred_imports(module) for module in MODULES if place(module, 0) in rooms)) == set(
        DEFERRED_IMPORTS
    )


@pytest.mark.parametrize("command", ["eps", "delta"])
def test_answers_load_only_what_they_need(command):
    options = {"eps": ["--delta", "1e-6"], "delta": ["--epsilon", "0.5"]}[command]
    words = [command, "hidden-slot", "--steps", "3", "--eps0", "1", "--weight", "1", *options]
    code = (
        "import sys\n"
        "from pldcheck.cli import main\n"
        f"sys.argv = ['pldcheck', *{words!r}]\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "heavy = {'matplotlib', 'dp_accounting', 'jinja2', 'pebble', 'distributed', 'pandas', 'sklearn'}\n"
        "heavy |= {'flint', 'scipy.fft', 'scipy.special', 'pldcheck.theorems', 'pldcheck.verification'}\n"
        "heavy |= {'pldcheck.hidden_slot.known_randomizer_slot'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stdout.splitlines()[-1:] == ["[]"], process.stderr


# A worker limits the number of threads after it has imported its module, and before the libraries that read it.
@pytest.mark.parametrize("name", ["pldcheck", "pldcheck.protocols", "pldcheck.verification.runs.cell_worker"])
def test_importing_loads_no_engine(name):
    code = f"import sys, {name}; print(sorted({{'numpy', 'scipy', 'numba', 'matplotlib', 'flint'}} & set(sys.modules)))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_first_answers_in_plain_python_load_no_compiler():
    code = (
        "import sys, pldcheck\n"
        "print(pldcheck.RandomAllocation(100, 2.0).epsilon(1e-6).upper > 0.0, 'numba' in sys.modules)\n"
        "print(pldcheck.HiddenSlot(100, 1.0).epsilon(1e-6).upper > 0.0, 'numba' in sys.modules)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert process.stdout.split() == ["True", "False", "True", "True"], process.stderr


def test_kernels_work_without_a_compiler():
    code = "import pldcheck; print(pldcheck.HiddenSlot(3, 1.0).epsilon(1e-3).relative_width < 1e-9)"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert process.stdout.strip() == "True", process.stderr


@pytest.mark.nightly
def test_kernels_work_without_a_place_to_cache_them(tmp_path):
    # numba raises "no locator available" when neither the package nor the home folder can be written (numba issue
    # 4908).
    code = (
        "import numba.core.caching as caching\n"
        "caching.CacheImpl._locator_classes = []\n"
        "import pldcheck\n"
        "print(pldcheck.HiddenSlot(3, 1.0).epsilon(1e-3).relative_width < 1e-9)"
    )
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert process.stdout.strip() == "True", process.stderr


def test_stored_cells_grow_stale_with_what_verification_reaches():
    rooms, new = set(), {"verification"}
    while new:
        rooms |= new
        new = {below for name in new for below in ROOMS[name]} - rooms
    # Which cells there are, where they are stored, and how they are drawn is part of no answer.
    without = {"drawing", "verification/runs", "verification/suites"}
    assert set(ELSEWHERE) == (ROOMS.keys() - rooms) | without


def test_no_two_files_of_the_tests_have_one_name():
    # Most folders are no packages: of two modules with one name only the first is imported.
    names = [
        path.name
        for path in Path(__file__).parent.rglob("*.py")
        if path.name not in {"__init__.py", "__main__.py", "conftest.py"}
    ]
    assert sorted(names) == sorted(set(names))


def test_modules_that_docstrings_refer_to_exist():
    missing = set()
    for module in MODULES:
        for name in re.findall(r":(?:mod|func|class|data|meth):`~?(pldcheck(?:\.\w+)+)`", module.read_text()):
            parts = tuple(name.split("."))
            length = next(n for n in range(len(parts), 0, -1) if n == 1 or _is_module(parts[:n]))
            entry = import_module(".".join(parts[:length]))
            for part in parts[length:]:
                entry = getattr(entry, part, None)
            missing |= {(module.name, name)} if entry is None else set()
    assert not missing
