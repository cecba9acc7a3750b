"""Packages whose modules are loaded on first use: once, whichever thread asks, and replaceable in tests."""

import subprocess
import sys

import pytest

from pldcheck import pld, testing
from pldcheck.core.lazy import lazy_parts
from pldcheck.pld import mechanisms

# Threads that ask at once, each beginning with another one of the engines that import each other.
THREADS = """
import threading
from pldcheck import hidden_slot, pld, shuffling

ASKED = [
    lambda: pld.gaussian,
    lambda: hidden_slot.known.likelihood_epochs.one_epoch,
    lambda: shuffling.shuffled_curves.all_curves,
    lambda: pld.gaussian_balls.crossing,
    lambda: hidden_slot.hidden_slot_answers.epsilon,
]
start, found = threading.Barrier(10), []

def ask(first):
    start.wait()
    order = ASKED[first:] + ASKED[:first]
    answers = {id(one): one() for one in order}
    found.append(tuple(answers[id(one)] for one in ASKED))

threads = [threading.Thread(target=ask, args=[k % len(ASKED)]) for k in range(10)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(found), len(set(found)))
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Yield a package with a module that counts how often it is loaded."""
    (tmp_path / "slow_rooms").mkdir()
    (tmp_path / "slow_rooms" / "__init__.py").write_text(
        "from pldcheck.core.lazy import lazy_parts\n"
        "loaded = []\n"
        "__getattr__, __dir__ = lazy_parts(__name__, {'engine': ('power',), 'other': ()}, ['power'])\n"
    )
    (tmp_path / "slow_rooms" / "engine.py").write_text(
        "from . import loaded\nloaded.append(1)\ndef power():\n    return 2\n"
    )
    (tmp_path / "slow_rooms" / "other.py").write_text("import no_such_library\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield __import__("slow_rooms")
    for name in [name for name in sys.modules if name.startswith("slow_rooms")]:
        del sys.modules[name]


def test_modules_are_loaded_once_and_when_they_are_used(package):
    assert package.loaded == [] and "slow_rooms.engine" not in sys.modules and dir(package) == ["power"]
    assert package.power() == 2 and package.engine.power is package.power and package.loaded == [1]
    assert vars(package)["power"] is package.power


def test_a_missing_name_is_reported(package):
    with pytest.raises(AttributeError, match="module 'slow_rooms' has no attribute 'powers'"):
        package.powers  # noqa: B018
    assert not hasattr(package, "powers")
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        package.other  # noqa: B018


def test_dir_cannot_be_changed_by_its_reader():
    _, listing = lazy_parts("pldcheck.pld", {}, ["b", "a"])
    listing().clear()
    assert listing() == ["a", "b"]


def test_tests_may_put_something_in_place_of_a_part(monkeypatch):
    gaussian = pld.gaussian
    with monkeypatch.context() as patch:
        patch.setattr(pld, "gaussian", lambda sigma: sigma)
        patch.setattr("pldcheck.testing.theorem", 3)
        assert pld.gaussian(5) == 5 and testing.theorem == 3
    assert pld.gaussian is gaussian is mechanisms.gaussian and callable(testing.theorem)


@pytest.mark.nightly
def test_threads_that_ask_at_once_get_the_same():
    process = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=120)
    assert process.stdout.strip() == "10 1", process.stderr
