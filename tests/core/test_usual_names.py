"""Names that are known elsewhere, and names that are like others."""

import dataclasses
import inspect

import pytest

import pldcheck
from pldcheck.core.adjacencies import NEIGHBOURS, adjacency_word
from pldcheck.core.errors import PldcheckError, UnknownNameError
from pldcheck.core.parameters import PARAMETERS
from pldcheck.core.usual_names import USUAL, similar_names, usual_name
from pldcheck.protocols import PROTOCOLS
from pldcheck.protocols.capabilities import SLOTS
from pldcheck.theorems import REGISTRY
from pldcheck.verification.suites.job_grid import Grid


def test_usual_names_lead_to_names_that_there_are():
    here = {
        "target_epsilon",
        "target-epsilon",
        "adjacency",
        "sampling",
        *PROTOCOLS,
        *PARAMETERS,
        *(name.replace("_", "-") for name in PARAMETERS),
        SLOTS.option,
        *NEIGHBOURS,
    }
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


def test_constructors_read_names_that_mean_the_same_and_refuse_others_in_one_line():
    names = {"noise_multiplier": 1.5, "sample_rate": "1/100", "num_steps": 3}
    assert pldcheck.SubsampledGaussian(**names) == pldcheck.SubsampledGaussian(1.5, 0.01, 3)
    assert pldcheck.SubsampledGaussian(1.5, q=0.01) == pldcheck.SubsampledGaussian(sampling_probability=0.01, sigma=1.5)
    assert str(inspect.signature(pldcheck.Gaussian)) == "(sigma: 'float', steps: 'int' = 1) -> None"
    words = {"both": "add-remove", "ADD_OR_REMOVE_ONE": "add-remove", "REPLACE_ONE": "replace", "substitute": "replace"}
    for word, here in words.items():
        assert pldcheck.RandomAllocation(3, 1.0, adjacency=word).adjacency == here == adjacency_word(word)
        assert Grid(protocol="random-allocation", axes={"adjacency": word, "steps": 3, "sigma": 1, "delta": 0.1}).axes[
            "adjacency"
        ] == (here,)
    thm = pldcheck.REGISTRY["thm-3.2"]
    assert thm(num_steps=9, eps0=1, p0=1, target_delta=0.1) == thm(steps=9, eps0=1, check_in_prob=1, delta=0.1)
    assert dataclasses.replace(thm, adjacency="replacement") == thm
    solved = pldcheck.calibrate("gaussian", "noise_multiplier", target_epsilon=1.0, target_delta=1e-6, num_steps=1)
    assert solved.value == pldcheck.calibrate("gaussian", "sigma", 1.0, 1e-6).value
    unproved = {"adjacency": "REPLACE_ONE", "sigma": 1.0, "steps": 10}
    for refused, error, text in (
        (lambda: pldcheck.Gaussian(noise=1), TypeError, "'noise'; sigma is in its place: sigma = deviation / sens"),
        (lambda: pldcheck.Gaussian(1, noise_multiplier=2), TypeError, "'noise_multiplier'; its name here is sigma$"),
        (lambda: pldcheck.Gaussian(sigma=1, noise_multiplier=2), LookupError, "'noise_multiplier'; its name here is"),
        (lambda: pldcheck.Gaussian(sgima=1), UnknownNameError, "'sgima'; did you mean sigma"),
        (lambda: pldcheck.Gaussian(), TypeError, "^sigma is missing; it must be above 0"),
        (lambda: pldcheck.Composition(), ValueError, "^mechanism is missing; it must be NAME:NUMBER"),
        (
            lambda: pldcheck.TruncatedPoisson(1, 0.1, n=9, largest_batch=5),
            TypeError,
            "records is in its place: the rec",
        ),
        (
            lambda: thm(num_steps=9, steps=9, eps0=1, p0=1, delta=0.1),
            LookupError,
            "'num_steps'; its name here is steps",
        ),
        (lambda: dataclasses.replace(thm, adjacency="neighbour"), LookupError, "unknown adjacency 'neighbour'; known:"),
        (lambda: pldcheck.calibrate("gaussian", "sigma", 1.0), TypeError, "^delta is missing; it must be above 0 and"),
        (lambda: pldcheck.calibrate("random-allocation", "selected", 1.0, 1e-6, **unproved), ValueError, "not proved"),
        (
            lambda: pldcheck.Gaussian(1).get_epsilon(0.1),
            AttributeError,
            r"^Gaussian has no get_epsilon; type .epsilon",
        ),
        (lambda: pldcheck.Gaussian(1).nothing, AttributeError, "^'Gaussian' object has no attribute 'nothing'$"),
        (
            lambda: float(pldcheck.Interval(1, 2)),
            TypeError,
            r"^epsilon in \[1, 2\] is no number: use .upper, which the truth is at most",
        ),
        (lambda: pldcheck.Interval(1, 2) <= 5, TypeError, r"is no number: use .upper"),
        (lambda: 5 < pldcheck.Interval(1, 2), PldcheckError, r"is no number: use .upper"),
    ):
        with pytest.raises(error, match=text):
            refused()


def test_python_knows_the_usual_names_as_well():
    with pytest.raises(UnknownNameError, match="'dp-sgd'; its name here is subsampled-gaussian$"):
        pldcheck.calibrate("dp-sgd", "sigma", target_epsilon=1.0, delta=1e-6, rate=0.01)
    with pytest.raises(UnknownNameError, match="'s'; known: steps, eps0, check_in_prob, delta$"):
        REGISTRY["thm-3.2"](s=1)
    with pytest.raises(UnknownNameError, match="'m'; its name here is steps$"):
        REGISTRY["adv-18"](m=1)
    with pytest.raises(UnknownNameError, match="'gausian'; did you mean gaussian"):
        pldcheck.theorem(protocol="gausian")
