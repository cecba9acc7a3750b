"""Estimates of the matrix mechanism on the command line."""

BINS = "balls-in-bins"


def test_the_command_prints_the_estimate_beside_the_certified_interval(pldcheck):
    words = ("simulate", "matrix-mechanism", "--steps", 4, "--sigma", 2, "--encoder", "toeplitz:1:0.5")
    words += ("--sampling", BINS, "--epsilon", 0.5, "--samples", 2000)
    result = pldcheck(*words)
    assert result.status == 0 and "empirical" in result.out and "certified  delta in [" in result.out
    facts = pldcheck(*words, "--json").json
    assert facts["estimate"]["empirical"] and facts["estimate"]["samples"] == 2000
    assert facts["certified"]["lower"] <= facts["estimate"]["value"] <= facts["certified"]["upper"]
