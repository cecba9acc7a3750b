"""Estimates of the matrix mechanism on the command line."""

import sys

import pytest

from pldcheck.cli import progress

BINS = "balls-in-bins"


def test_the_command_prints_the_estimate_beside_the_certified_interval(pldcheck):
    words = ("simulate", "matrix-mechanism", "--steps", 4, "--sigma", 2, "--encoder", "toeplitz:1:0.5")
    words += ("--sampling", BINS, "--epsilon", 0.5, "--samples", 2000)
    result = pldcheck(*words)
    assert result.status == 0 and "empirical" in result.out and "certified  delta in [" in result.out
    facts = pldcheck(*words, "--json").json
    assert facts["estimate"]["empirical"] and facts["estimate"]["samples"] == 2000
    assert facts["certified"]["lower"] <= facts["estimate"]["value"] <= facts["certified"]["upper"]


@pytest.mark.nightly
def test_long_draws_say_how_many_are_finished(pldcheck, monkeypatch):
    time = [0.0]

    def clock():
        time[0] += 3.0
        return time[0]

    monkeypatch.setattr(progress, "perf_counter", clock)
    monkeypatch.setattr(progress, "SECONDS", 10.0)
    words = ("simulate", "matrix-mechanism", "--steps", 2, "--sigma", 2, "--sampling", BINS, "--epsilon", 0.5)
    lines = pldcheck(*words, "--samples", 20_000).err.splitlines()
    assert lines and all(" of 40000 draws" in line for line in lines) and lines[-1].endswith(" s left")
    monkeypatch.setattr(progress, "PATIENCE", 2.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "/40000" in pldcheck(*words, "--samples", 20_000).err
