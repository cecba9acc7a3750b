"""Values for command lines and calls: usual ones, the corners of what is admissible, and what is no value at all."""

from __future__ import annotations

import math
import random
from pathlib import Path

USUAL = "usual"
CORNER = "corner"
BAD = "bad"

# Per parameter: usual values, then corners; all are text, as on a command line.
_COUNT = ("1 2 3 5 10 100 1000", "1 2 3 4 60 61 64 65 1023 1024 1025 9007199254740993 1e6 1e9 1e12 999999999999")
_SMALL = "1e-1 1e-2 1e-3 1e-5 1e-6 1e-8 1e-10 1e-12 1e-14 1e-17 1e-20 1e-100 1e-200 1e-300 1e-307 1e-308 5e-324"
_NEAR_ONE = "0.9 0.999 0.999999 0.999999999999 0.9999999999999999"
_RATIO = (".5 .1 .01 .9", f"{_SMALL} {_NEAR_ONE}")
_AT_CAPS = ".999999 .9999999999999999 1.0000000000000002 17.999999982"
_NOISE = ("1 2 .5 10 100", f"{_SMALL} .05 .1 .3 1e3 1e4 1e6 1e8 1e9")
VALUES: dict[str, tuple[str, str]] = {
    "steps": _COUNT,
    "selected": ("1 2 3", "1 2 5 60 1000 1e6 1e12"),
    "window": _COUNT,
    "clients": ("2 10 100 1000 10000", "1 2 3 4 5 60 61 1e5 1e6 1e9 1e12 1e13 1e15"),
    "releases": ("1 2 10", "1 2 3 100 1e4 1e9"),
    "records": ("10 100 1000", "1 2 3 1e6 1e12"),
    "batch": ("1 2 10", "1 2 3 100 1e6 1e12"),
    "largest_batch": ("10 100", "1 2 1e6 1e12"),
    "rounds": ("1 2 10", "1 2 3 100 1e4 1e6 1e9 1e12"),
    "categories": ("2 3 10", "2 3 100 10000 1e6"),
    "eps0": ("1 .5 .1 2 4", f"{_SMALL} .6931471805599453 5 8 12 14 17.4 18 19.99999 20"),
    "eps0_last": ("1 .5 .1 2", f"{_SMALL} 8 14 20"),
    "delta0": ("0 1e-9 1e-6", f"0 {_SMALL} .5 {_NEAR_ONE}"),
    "delta0_last": ("0 1e-9 1e-6", f"0 {_SMALL} .5 {_NEAR_ONE}"),
    "delta1": _RATIO,
    "delta2": _RATIO,
    "weight": ("1 .5 .1", f"1 {_SMALL} {_NEAR_ONE}"),
    "check_in_prob": ("1 .5 .1", f"1 {_SMALL} {_NEAR_ONE}"),
    "rate": ("1 .5 .1 .01", f"1 {_SMALL} {_NEAR_ONE}"),
    "sigma": _NOISE,
    "scale": _NOISE,
    "epochs": ("1 2 5", "1 2 3 20 100 1e4 1e6 1e9"),
    "group": ("1 2 5", "1 3 10 100"),
    "dimension": ("1 10 1000", "1 2 1e6 1e12"),
    "heads_p": _RATIO,
    "heads_q": _RATIO,
    "first": ("1 .1 10", f"{_SMALL} 1e3 1e6"),
    "decay": _RATIO,
    "bin_norm": ("1 10 100", "1 1.0000000000000002 1e8 1e15"),
    "tv": _RATIO,
    "beta": ("1e-8 1e-6", f"{_SMALL} {_NEAR_ONE}"),
    "order": ("2 3 10", "1.0000000000000002 1.000001 1.5 32 64 100 1024 1e4 1e6"),
    "delta": ("1e-6 1e-5 .01", f"{_SMALL} .5 {_NEAR_ONE} 1e-12 1e-15 1e-250 1e-320"),
    "epsilon": (".1 .5 1 2", f"0 {_SMALL} {_AT_CAPS} 5 20 40 700 710 1e308"),
    "target_epsilon": (".1 .5 1 2", f"0 {_SMALL} 20 40 700 1e308"),
    "width": ("1e-3 .01 .1", "1e-1 1e-4 1e-6 1e-9 1e-12 1e-15 1e-300 .9 .9999999999999999"),
    "precision": ("1e-3 1e-2", "1e-9 1e-6 .5"),
    "repeat": ("2 5", "1"),
    "transcripts": ("100", "1000"),
    "seed": ("0 1", "4294967296"),
}
# What no parameter admits.
BAD_NUMBERS = (
    "nan NaN inf -inf infinity 1e400 -1 -1e-300 -0.5 1e-400 -1e-400 1_000 0x10 １ ١ 1e 1e5.5 1,5 abc ∞ 1j 1e999999999 "
    "1.5.1 --1 None True [] {} $ % \\n 1e-99999 ½ 1/2 0.1f"
).split() + ["", " ", "1 2", "\u00a01", "\t", "9" * 400, "0." + "0" * 400 + "1", "a" * 2000, "\x1b[31m1", "1\x00"]

NAMES = {
    "adjacency": ("replace", "zero-out", "both", "add-remove", "add", "remove"),
    "sampling": (
        *("poisson", "poisson-replaced", "fixed-size", "cyclic-poisson", "b-min-sep", "balls-in-bins", "known-order"),
        *("with-replacement", "without-replacement"),
    ),
}
# Parameters that are texts of their own: usual ones, corners, and what is not allowed.
TEXTS = {
    "lengths": (
        ("1:0.02,2:0.0001", "0:0.9,1:0.1", "1:1"),
        ("1:1e-300", "1e-9:0.5,1e9:1e-30", "0:1", "1:0.5,1:0.5", "1:0.3333333333333333,2:0.6666666666666666"),
        ("", "1", "1:2", "1:-1", "x:1", "1:nan", "1:0.5,", "2:0.6,1:0.6"),
    ),
    "encoder": (
        ("identity", "toeplitz:1:0.5", "square-root:4", "square-root"),
        ("toeplitz:1", "toeplitz:1:1e-300", "toeplitz:1:1:1:1", "square-root:1", "square-root:1000"),
        ("", "toeplitz", "toeplitz:0", "toeplitz:1:-1", "square-root:0", "file:none", "toeplitz:nan", "unit"),
    ),
}
MECHANISMS = {
    "rr": ("eps0", "delta0?"),
    "gaussian": ("sigma",),
    "laplace": ("scale",),
    "discrete-laplace": ("scale",),
    "discrete-gaussian": ("sigma",),
    "subsampled-gaussian": ("sigma", "rate"),
    "fixed-size-gaussian": ("sigma", "rate"),
    "subsampled-rr": ("eps0", "rate", "delta0?"),
}
RANDOMIZERS = {
    "worst": None,
    "rr": None,
    "krr": "categories",
    "tv": "tv",
    "table": "file",
    "laplace": None,
    "gaussian": "sigma",
    "discrete-gaussian": "sigma",
}
TABLES = {
    "plain": ".6 .3 .1\n.2 .5 .3\n",
    "three": ".28 .13 .59\n.21 .03 .76\n.77 .02 .21\n",
    "zeros": "1 0\n0 1\n",
    "half": ".5 .5 0\n0 .5 .5\n",
    "equal": ".5 .5\n.5 .5\n",
    "one": "1\n1\n",
    "near": ".5 .5\n.50000000001 .49999999999\n",
    "tiny": "1e-300 1\n1 1e-300\n",
    "subnormal": "5e-324 1\n1 5e-324\n",
    "sum": ".5 .500000001\n.4 .6\n",
    "row": ".5 .5\n",
    "ragged": ".5 .5\n1\n",
    "words": "a b\nc d\n",
    "negative": "-.5 1.5\n.5 .5\n",
    "nan": "nan 1\n.5 .5\n",
    "empty": "",
    "fullwidth": "１ 0\n0 1\n",
    "underscore": "1_0 0\n0 1\n",
}


def write_tables(folder: Path) -> None:
    """Puts the tables there, as NAME.txt."""
    for name, text in TABLES.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")


def value(draw: random.Random, name: str, manner: str) -> str:
    """Return a value of the parameter as text."""
    if name in TEXTS:
        usual_texts, corners, bad = TEXTS[name]
        return draw.choice(bad if manner == BAD else corners if manner == CORNER else usual_texts)
    if manner == BAD:
        return draw.choice(BAD_NUMBERS)
    usual, corner = VALUES[name]
    if manner == CORNER and draw.random() < 0.15:
        return _anywhere(draw, name)
    return draw.choice((corner if manner == CORNER else usual).split())


def _anywhere(draw: random.Random, name: str) -> str:
    """Return a number of the range, its log uniform."""
    from pldcheck.core.parameters import PARAMETERS

    parameter = PARAMETERS.get("epsilon" if name == "target_epsilon" else name)
    if parameter is None:
        return value(draw, name, USUAL)
    low, high = max(float(parameter.low), 1e-300), min(float(parameter.high), 1e300)
    number = math.exp(draw.uniform(math.log(low), math.log(high)))
    number = min(max(number, low), high)
    return str(round(number)) if parameter.integer else repr(number)


def mechanism(draw: random.Random, manner: str) -> str:
    """Return one mechanism of a composition."""
    kind = draw.choice(list(MECHANISMS))
    parts = [kind]
    for argument in MECHANISMS[kind]:
        if not argument.endswith("?") or draw.random() < 0.3:
            parts.append(value(draw, argument.rstrip("?"), _one(draw, manner)))
    count = "*" + draw.choice("1 2 5 50 1000 1e6".split()) if draw.random() < 0.4 else ""
    return ":".join(parts) + count


def randomizer(draw: random.Random, manner: str) -> str:
    """Return a randomizer, of whichever protocol."""
    if manner == BAD:
        wrong = ("", "rr:1", "krr", "krr:1", "gaussian", "gaussian:", "table:", "table:none", "tv:2", "rr rr")
        return draw.choice(wrong)
    kind = draw.choice(list(RANDOMIZERS))
    argument = RANDOMIZERS[kind]
    if argument == "file":
        return f"table:{draw.choice(list(TABLES) if manner == CORNER else ['plain', 'three'])}.txt"
    return kind if argument is None else f"{kind}:{value(draw, argument, manner)}"


def _one(draw: random.Random, manner: str) -> str:
    """Return one value; of several numbers not all are bad."""
    return USUAL if manner == BAD and draw.random() < 0.5 else manner
