"""Names that are known elsewhere, and names that are like others."""

import pytest

import pldcheck
from pldcheck.core.adjacencies import NEIGHBOURS
from pldcheck.core.errors import UnknownNameError
from pldcheck.core.parameters import PARAMETERS
from pldcheck.core.usual_names import USUAL, similar_names, usual_name
from pldcheck.protocols import PROTOCOLS
from pldcheck.protocols.capabilities import SLOTS
from pldcheck.theorems import REGISTRY


def test_usual_names_lead_to_names_that_there_are():
    here = {*PROTOCOLS, *PARAMETERS, *(name.replace("_", "-") for name in PARAMETERS), SLOTS.option, *NEIGHBOURS}
    assert {one for names in USUAL.values() for one in names} <= here
    assert usual_name("noise_multiplier", ["steps", "scale"]) == "scale"
    assert usual_name("--M", ["--window", "--steps"]) == "--steps" and usual_name("--M", ["--window"]) == "--window"
    assert usual_name("steps", ["steps"]) is None and usual_name("nothing", ["steps"]) is None


def test_the_number_of_a_theorem_must_be_alike():
    assert similar_names("thm-9.9", REGISTRY) == []
    assert "thm-3.2" in similar_names("thm-3.3", REGISTRY) and "thm-4.4" not in REGISTRY
    assert similar_names("thm-44", ["thm-4.3", "cor-3.3"]) == ["thm-4.3"]


def test_the_dashes_of_options_do_not_count():
    assert similar_names("--n", ["--json", "--rounds"]) == [] and similar_names("--step", ["--steps"]) == ["--steps"]


def test_python_knows_the_usual_names_as_well():
    with pytest.raises(UnknownNameError, match="'dp-sgd'; its name here is subsampled-gaussian$"):
        pldcheck.calibrate("dp-sgd", "sigma", target_epsilon=1.0, delta=1e-6, rate=0.01)
    with pytest.raises(UnknownNameError, match="'s'; known: steps, eps0, check_in_prob, delta$"):
        REGISTRY["thm-3.2"](s=1)
    with pytest.raises(UnknownNameError, match="'m'; its name here is steps$"):
        REGISTRY["adv-18"](m=1)
    with pytest.raises(UnknownNameError, match="'gausian'; did you mean gaussian"):
        pldcheck.theorem(protocol="gausian")
