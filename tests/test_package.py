"""Functions that use the package in other processes: pickled by name, or by value with what they use."""

import pickle
import subprocess
import sys

import pytest

import pldcheck
from pldcheck import pld

# A function of the main module is pickled with the globals that it uses, among them the package.
MAIN = """
import sys
import cloudpickle
import pldcheck
from pldcheck import hidden_slot, pld

def asked():
    steps = pldcheck.HiddenSlot(10, 1.0).params()["steps"]
    return steps, pld.gaussian(1.0), hidden_slot.hidden_slot_problem.HiddenSlotProblem

sys.stdout.buffer.write(cloudpickle.dumps((asked, pldcheck)))
"""
# So is one of a module that the other process cannot import.
BY_VALUE = """
import sys
import cloudpickle
sys.path.insert(0, sys.argv[1])
import using

cloudpickle.register_pickle_by_value(using)
sys.stdout.buffer.write(cloudpickle.dumps((using.asked, using.pldcheck)))
"""
READER = """
import pickle, sys
asked, package = pickle.loads(sys.stdin.buffer.read())
assert asked()[0] == 10 and package is sys.modules["pldcheck"] and "using" not in sys.modules
"""


def steps():
    return pldcheck.HiddenSlot(10, 1.0).params()["steps"]


def test_functions_and_protocols_pickle_by_name():
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(steps, protocol))() == 10
        assert pickle.loads(pickle.dumps(pldcheck.HiddenSlot(10, 1.0), protocol)) == pldcheck.HiddenSlot(10, 1.0)
        assert pickle.loads(pickle.dumps(pld.gaussian, protocol)) is pld.gaussian


@pytest.mark.nightly
def test_functions_that_use_the_package_go_to_other_processes():
    cloudpickle = pytest.importorskip("cloudpickle")
    assert pickle.loads(cloudpickle.dumps(pldcheck)) is pldcheck
    message = subprocess.run([sys.executable, "-c", MAIN], capture_output=True, check=True).stdout
    subprocess.run([sys.executable, "-c", READER], input=message, check=True)


@pytest.mark.nightly
def test_functions_of_a_module_go_by_value(tmp_path):
    pytest.importorskip("cloudpickle")
    (tmp_path / "using.py").write_text(
        "import pldcheck\nfrom pldcheck import CheckIn, pld\n\n"
        "def asked():\n    return pldcheck.HiddenSlot(10, 1.0).steps, CheckIn(10, 1.0).reduced, pld.laplace(1.0)\n"
    )
    words = [sys.executable, "-c", BY_VALUE, str(tmp_path)]
    message = subprocess.run(words, capture_output=True, check=True).stdout
    subprocess.run([sys.executable, "-c", READER], input=message, check=True)


def test_every_protocol_is_in_the_package_and_nothing_else_is_listed():
    from pldcheck.protocols import PROTOCOLS

    for kind in PROTOCOLS.values():
        assert vars(pldcheck).get(kind.__name__, pldcheck.__getattr__(kind.__name__)) is kind
        assert kind.__name__ in pldcheck.__all__
    assert dir(pldcheck) == sorted([*pldcheck.__all__, "__version__"])
