"""Published codes for shuffling, each in its own words and unmodified, as a script that answers line by line.

* apple/ml-shuffling-amplification: the clones, bisection in 20 steps over blocks of ``step`` counts; its lower end is
  the right end of the bisection, so it may exceed the truth and is not judged;
* wangsw/PrivacyAmplification: both pairs as variation-ratio reductions, bisection in 20 steps;
* DPBayes/numerical-shuffler-experiments: the stronger clones on a grid of 10^7 losses, from above only (it tabulates
  delta; the search for epsilon is added here);
* Optimal-amplification-bound/Decomposition-Based-Optimal-Bounds-for-Shuffle-DP: numpy in place of cupy, binary
  randomized response, whose blanket is the stronger clones;
* BorjaBalle/amplification-by-shuffling: Bennett's inequality for the same blanket, from above only.

request: peer, n, eps0, delta, folder (of the checkouts); answer: lower, upper (null where there is none) and seconds.
"""

from __future__ import annotations

import ast
import json
import os
import sys
import warnings
from collections.abc import Callable
from functools import cache, partial
from math import exp, isnan, nan
from pathlib import Path
from time import perf_counter
from types import ModuleType
from typing import Any

BISECTIONS = 20
# Where each is from, and which of its ends may be judged.
REPOSITORIES = {
    "apple": "apple/ml-shuffling-amplification",
    "wangsw": "wangsw/PrivacyAmplification",
    "dpbayes": "DPBayes/numerical-shuffler-experiments",
    "decomposition": "Optimal-amplification-bound/Decomposition-Based-Optimal-Bounds-for-Shuffle-DP",
    "bennett": "BorjaBalle/amplification-by-shuffling",
}
UPPER_ONLY = ("apple",)


@cache
def published_module(folder: str, path: str) -> ModuleType:
    """Return a file as a module: what it imports and defines, without what it runs as a script."""
    tree = ast.parse((Path(folder) / path).read_text(encoding="utf-8"))
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    tree.body = [node for node in tree.body if isinstance(node, kinds)]
    module = ModuleType(Path(path).stem)
    exec(compile(tree, path, "exec"), module.__dict__)
    return module


def apple(folder, n, eps0, delta, step):
    """Return both ends."""
    ask = published_module(folder, "ml-shuffling-amplification/computeamplification.py").numericalanalysis
    return lambda: tuple(ask(n, eps0, delta, BISECTIONS, step, upper) for upper in (False, True))


def wangsw(folder, n, eps0, delta, share):
    """Return both ends; ``share``: W(up) = W(down), from e^eps0."""
    code, x = published_module(folder, "PrivacyAmplification/unifiedamplification.py"), exp(eps0)
    arguments = (x, 1.0 / (x + 1.0), share(x), share(x), n, delta, BISECTIONS)
    return lambda: (code.amplificationLBCore(*arguments), code.amplificationUBCore(*arguments))


def dpbayes(folder, n, eps0, delta):
    """Return an upper end."""
    import numpy as np
    from scipy.optimize import bisect

    code = published_module(folder, "numerical-shuffler-experiments/clones_comparison_fig1/delta_shuffler_fa.py")

    def ask():
        masses, losses, _ = code.get_omega(n, 1, eps0, 10**7, 20)
        positive = (losses > 0.0) & (masses > 0.0)
        masses, losses = masses[positive], losses[positive]
        end = bisect(lambda e: masses @ np.maximum(-np.expm1(e - losses), 0.0) - delta, 0.0, eps0, xtol=1e-9)
        return nan, end + 1e-9

    return ask


def decomposition(folder, n, eps0, delta):
    """Return both ends."""
    import numpy as np

    sys.modules["cupy"] = np
    name_of_repository = "Decomposition-Based-Optimal-Bounds-for-Shuffle-DP"
    code, own = (
        published_module(folder, f"{name_of_repository}/amplification_bounds.py"),
        published_module(folder, f"{name_of_repository}/mechanisms.py"),
    )
    bounds = [make(own.RRMechanism(eps0, 2)) for make in (code.FFTLowerBound, code.FFTbound)]
    return lambda: tuple(bound.get_eps(eps0, n, delta) for bound in bounds)


def bennett(folder, n, eps0, delta):
    """Return an upper end."""
    name_of_repository = "amplification-by-shuffling/shuffleddp"
    code, own = (
        published_module(folder, f"{name_of_repository}/amplification_bounds.py"),
        published_module(folder, f"{name_of_repository}/mechanisms.py"),
    )
    return lambda: (nan, code.BennettExact(own.RRMechanism(eps0=eps0, k=2)).get_eps(eps0, n, delta))


PREPARE: dict[str, Callable[..., Callable[[], tuple[float, float]]]] = {
    "apple step=100": partial(apple, step=100),
    "apple step=10": partial(apple, step=10),
    "wangsw clones": partial(wangsw, share=lambda x: 0.5 / x),
    "wangsw stronger": partial(wangsw, share=lambda x: 1.0 / (x + 1.0)),
    "dpbayes": dpbayes,
    "decomposition": decomposition,
    "bennett": bennett,
}


def answer_of_code(peer: str, n: int, eps0: float, delta: float, folder: str) -> dict[str, Any]:
    """Ends and seconds, without those of its imports."""
    ask = PREPARE[peer](folder, n, eps0, delta)
    start = perf_counter()
    ends = ask()
    seconds = perf_counter() - start
    lower, upper = (None if isnan(end) else float(end) for end in ends)
    return {"lower": lower, "upper": upper, "seconds": seconds}


def main() -> None:
    """Read requests and write answers until there are no more requests."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # some print what they do
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        try:
            answer = answer_of_code(**json.loads(line))
        except Exception as error:
            answer = {"error": " ".join(f"{type(error).__name__}: {error}".split())[:200]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
