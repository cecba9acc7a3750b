"""The programs by the kinds of files, and the command that has any number of files checked."""

import sys
from types import MappingProxyType

from . import (
    lower_adaptive,
    lower_composed,
    lower_single,
    upper_epochs,
    upper_few,
    upper_loss,
    upper_rounds,
    upper_shuffle,
    upper_slot,
    upper_sum,
    upper_swap,
)
from .claim_files import examine, require

# The programs by the name or the number that a file has under a key.
CERTIFICATES = MappingProxyType(
    {
        "upper_slot": upper_slot,
        "upper_sum": upper_sum,
        "upper_epochs": upper_epochs,
        "upper_loss": upper_loss,
        "upper_shuffle": upper_shuffle,
        "upper_swap": upper_swap,
        "upper_few": upper_few,
        "upper_rounds": upper_rounds,
    }
)
WITNESSES = MappingProxyType({1: lower_single, 2: lower_composed, 3: lower_adaptive})
KINDS = MappingProxyType({"pldcheck_certificate": CERTIFICATES, "pldcheck_witness": WITNESSES})
# How the checkers are called where they lie in one archive.
USAGE = "usage: python3 checkers.pyz FILE..., such as RUN/certificates/*.json RUN/witnesses/*.json"


def program_of(facts, keys=(*KINDS,)):
    """Return the program of a file, which has one of these keys; raise ValueError if there is none."""
    named = [key for key in keys if type(facts) is dict and key in facts]
    require(len(named) == 1, f"the file must have the key {' or '.join(keys)}")
    programs, kind = KINDS[named[0]], facts[named[0]]
    is_known = type(kind) in (int, str) and kind in programs
    require(is_known, f"{named[0]} must be one of {', '.join(map(str, programs))}")
    return programs[kind]


def main(paths):
    """Print a sentence on each file, and return 0 if all are accepted, 1 if one is not, 2 if one is for no program."""
    for stream in (sys.stdout, sys.stderr):  # a file's name may be no text
        stream.reconfigure(errors="backslashreplace")
    if paths in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    worst = 0 if paths else 2
    if not paths:
        print(USAGE, file=sys.stderr)
    for path in paths:

        def tell(work, path=path):
            print(f"{path}: {work}", file=sys.stderr, flush=True)

        verdict = examine(path, lambda facts: program_of(facts).verify(facts), tell)
        print(f"{path}: {verdict.sentence}", flush=True)
        worst = max(worst, verdict.status)
    return worst
