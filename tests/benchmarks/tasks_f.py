"""(f) What a start costs: import, help, the first answer with no compiled kernels and with them."""

from __future__ import annotations

import shlex

from .case import Case

PLAIN = "python itself"
IMPORT = "import"
HELP = "help"
COLD = "first answer, cold"
WARM = "first answer, warm"
BARE = "python alone"
LIBRARIES = "python with numpy, scipy, numba"
ANSWERS = {
    "hidden-slot": "eps hidden-slot --steps 1000 --eps0 1 --delta 1e-6",
    "check-in": "eps check-in --clients 1000 --steps 1000 --eps0 1 --check-in-prob 1 --delta 1e-6",
    "random-allocation": "eps random-allocation --steps 1000 --sigma 1 --delta 1e-6",
    "shuffle": "eps shuffle --clients 10000 --eps0 1 --delta 1e-6",
    "swap": "eps swap --clients 1000 --eps0 1 --delta 1e-6",
    "composition": "eps composition --mechanism gaussian:5*10 --mechanism rr:0.1*100 --delta 1e-6",
    "subsampled-gaussian": "eps subsampled-gaussian --sigma 1 --rate 0.01 --steps 1000 --delta 1e-6",
}


def cases(quick: bool) -> list[Case]:
    """Return cases that run in a process of their own; a cold answer is followed by the same one with its
    kernels kept.
    """
    cases_of_task = [
        Case("f", PLAIN, BARE, command=("-c", "pass")),
        Case("f", PLAIN, LIBRARIES, command=("-c", "import numpy, scipy.special, scipy.fft, numba")),
        Case("f", IMPORT, "import pldcheck", command=("-c", "import pldcheck"), bare=BARE),
        Case("f", IMPORT, "import pldcheck.protocols", command=("-c", "import pldcheck.protocols"), bare=BARE),
        Case("f", HELP, "pldcheck --help", command=("-m", "pldcheck", "--help"), bare=BARE),
    ]
    for name, line in ANSWERS.items():
        words = ("-m", "pldcheck", *shlex.split(line), "--json")
        cases_of_task.append(Case("f", COLD, f"{name}, cold", command=words, cache=name, bare=LIBRARIES, rounds=2))
        cases_of_task.append(Case("f", WARM, f"{name}, warm", command=words, cache=name, bare=LIBRARIES, rounds=2))
    return cases_of_task[:7] if quick else cases_of_task
