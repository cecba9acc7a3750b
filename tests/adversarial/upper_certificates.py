"""Spoil certificates of hidden slots and check them: ``python -m tests.adversarial.upper_certificates --files 20000``.

The truth of few slots is known from the recursion over all policies in balls.  Claims are put below it, by 1e-1 to
1e-30 of themselves in delta or in epsilon; fineness, types and text are spoiled.  A file that is accepted must be true.
"""

import json
import random
import sys
import tempfile
import time
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import cache
from pathlib import Path

import mpmath
from flint import arb, ctx

from pldcheck.checkers import claim_files, upper_slot
from pldcheck.protocols import HiddenSlot

from .. import naive
from . import command

# Seconds that one file may take; a machine that does much else is several times slower than one that does not.
SLOW = 60.0
# The largest number of slots whose truth is computed by recursion; of more, the engine's lower end is asked.
FEW = 8
BITS = 200
USUAL = {"doublings": 0, "grid": "0.02", "left": 400, "right": 400, "join": 1, "cut": 60, "atoms": 800, "tilt": "1.003"}


def _file(fineness, **claim):
    slots = claim.get("steps", claim.get("window"))
    fineness = {"block": slots, **USUAL, **fineness}
    return {"pldcheck_certificate": "upper_slot", "claim": claim, "fineness": fineness}


def originals():
    """Files whose program comes near to the truth, without delta."""
    slot = {"mechanism": "hidden-slot", "weight": "1", "adjacency": "replace", "eps0": "1"}
    return [
        _file({}, **slot, steps=1, epsilon="0.3"),
        _file({"grid": "0.05"}, **slot | {"eps0": "2"}, steps=2, epsilon="0.5"),
        _file({"grid": "0.01"}, **slot | {"weight": "0.3", "eps0": "0.5"}, steps=3, epsilon="0.02"),
        _file({}, **slot | {"adjacency": "zero-out"}, steps=4, epsilon="0.2"),
        _file({"block": 3, "doublings": 1}, **slot, steps=6, epsilon="0.15"),
        _file({"block": 1, "doublings": 2, "atoms": 60}, **slot | {"adjacency": "zero-out"}, steps=4, epsilon="0.3"),
        _file({"block": 2, "doublings": 2, "join": 2}, **slot | {"eps0": "0.4"}, steps=7, epsilon="0"),
        _file({}, mechanism="check-in", steps=3, check_in_prob="0.6", eps0="1", epsilon="0.1"),
        _file({}, mechanism="check-in", steps=3, check_in_prob="0.9", clients=3, eps0="1", epsilon="0.1"),
        _file({}, mechanism="sliding-window", window=3, eps0="0.8", epsilon="0.2"),
        _file({}, mechanism="check-in", steps=2, check_in_prob="1", eps0="1", epsilon="0.1", delta0="1e-3"),
    ]


@cache
def _worst(steps, eps0, epsilon, weight, adjacency):
    with ctx.workprec(BITS):
        if adjacency == "zero-out":
            removed, added = (naive.two_point_delta(steps, eps0, epsilon, weight, law) for law in ("CF", "BE"))
            return removed.max(added)
        return naive.hidden_slot_delta(steps, eps0, epsilon, weight)


def _shared(steps, weight, clients):
    """A decimal hardly below the probability that the record is used where each is as likely of those in its slot."""
    chance = weight / steps
    mean = steps * (1 - (1 - chance) ** clients) / clients
    with localcontext(prec=48, rounding=ROUND_FLOOR):
        return f"{Decimal(mean.numerator) / Decimal(mean.denominator):f}"


def worst(claim):
    """A ball of a delta that some mechanism of the claim attains; the worst there is, if delta0 is 0."""
    steps, weight = claim.get("steps", claim.get("window")), claim.get("weight", claim.get("check_in_prob", "1"))
    adjacency = claim.get("adjacency", "replace")
    if "clients" in claim:  # all other records are the dummy
        weight = _shared(steps, Fraction(weight), claim["clients"])
    if steps > FEW:
        lower = HiddenSlot(steps, float(claim["eps0"]), float(weight), adjacency=adjacency).delta(
            float(claim["epsilon"])
        )
        return arb(lower.lower) * (1 - arb(2) ** -40)  # the decimals of the claim are not those of floats
    if "delta0" not in claim:
        return _worst(steps, claim["eps0"], claim["epsilon"], weight, adjacency)
    with ctx.workprec(BITS):
        # A pure randomizer that reveals the record with probability delta0 (approximate_slot has the proof).
        revealed = arb(weight) * arb(claim["delta0"])
        used = (arb(weight) - revealed) / (1 - revealed)
        lower = mpmath.nstr(mpmath.mpf(used.lower().str(50, radius=False)) * (1 - mpmath.mpf(10) ** -45), 48)
        pure = _worst(steps, claim["eps0"], claim["epsilon"], lower, adjacency)
        return revealed + (1 - revealed) * pure


def false(facts):
    """Whether the claim of a file is certainly false."""
    with ctx.workprec(BITS):
        return bool(arb(facts["claim"]["delta"]) < worst(facts["claim"]))


def _times(ball, factor):
    with mpmath.workdps(70):
        return mpmath.nstr(mpmath.mpf(ball.mid().str(60, radius=False)) * factor, 45, min_fixed=-60, max_fixed=60)


def _less(draw):
    with mpmath.workdps(70):
        return 1 - mpmath.mpf(10) ** -draw.randint(1, 30)


def _claimed(facts, draw):
    """Put delta above or below the truth, or epsilon below a point where delta is the truth."""
    claim, kind = facts["claim"], draw.random()
    if kind < 0.2:
        claim["delta"] = _times(worst({**claim}), 1 + draw.random())
    elif kind < 0.75 or claim["epsilon"] == "0":
        claim["delta"] = _times(worst({**claim}), _less(draw))
    elif kind < 0.95:
        claim["delta"] = _times(worst({**claim}), 1)
        claim["epsilon"] = _times(arb(claim["epsilon"]), _less(draw))
    else:  # just below the largest loss, where delta is hardly more than 0
        claim["delta"] = draw.choice(["0", "1e-60"])
        claim["epsilon"] = _times(arb(claim["eps0"]), _less(draw))


def _refined(fineness, draw):
    """Change some of how fine the computation is, to other values that the program takes."""
    usual = {"grid": ["0.013", "0.1", "0.37", "2", "70"], "tilt": ["1.00001", "1.01", "1.3", "1.9", "2"]}
    usual["doublings"] = [1, 2, 3]
    for name in draw.sample(sorted(fineness), draw.choice((0, 0, 1, 1, 2, 3))):
        fineness[name] = draw.choice(usual.get(name, [2, 3, 5, 8, 20, 40, 64, 160]))
        if name == "join":
            fineness["left"], fineness["right"] = (join * draw.randint(1, 300) for join in [fineness["join"]] * 2)


def _hostile(fineness, draw):
    """Put negative numbers, huge ones and others that are none into the fineness."""
    for name in draw.sample(sorted(fineness), draw.choice((1, 1, 2))):
        texts = ["0", "-1", "1e-30", "1e30", "1e99", "1e400", "1", 0.1, None]
        numbers = [0, -1, -(10**30), 10**9, 10**30, 2.0, "3", True, fineness[name], 7]
        fineness[name] = draw.choice(texts if name in ("grid", "tilt") else numbers)


def _spoiled(facts, draw):
    """Put something in the place of a value, leave it out, or add a key."""
    places = [facts, *(facts[name] for name in ("claim", "claim", "fineness") if isinstance(facts.get(name), dict))]
    place = draw.choice([one for one in places if one])
    name = draw.choice(sorted(place))
    kind = draw.random()
    odd = [
        None,
        True,
        [],
        {},
        "",
        "x",
        "nan",
        "0x1",
        "1_0",
        "1/3",
        "\u0661",
        "\uff10.1",
        "9" * 400,
        10**400,
        -1,
        1.5,
        "0 ",
    ]
    if kind < 0.7:
        place[name] = draw.choice([*odd, float("nan"), float("inf"), 1e308, "1e-99", "1E-3", " 1", "+1", "0.5\n"])
    elif kind < 0.85:
        del place[name]
    else:
        place[draw.choice(["note", "delta0", "weight", "clients", "epochs", "steps"])] = draw.choice(odd)


def _broken(text, draw):
    """Change the text of a file."""
    at = draw.randrange(len(text))
    return draw.choice(
        [
            text + draw.choice([" 1", "}", "{}", "\0", ",", "\n\n[]"]),
            text.replace('"claim": {', '"claim": {}, "claim": {', 1),
            text.replace('"delta": ', '"delta": "0.9", "delta": ', 1),
            text.replace('"epsilon": "', '"epsilon": "\u0660', 1),
            text.replace('"delta": "', '"delta": "\\u0661', 1),
            text.replace('"steps": ', '"steps": 1e400, "x": ', 1),
            text.replace('"block": ', '"block": NaN, "x": ', 1),
            text[:at] + draw.choice('0123456789"{}[],:.e- \\') + text[at + draw.choice((0, 1)) :],
            text[:at] + text[at + 1 :],
            text + " " * 30_000,
            "[" * draw.randrange(30_000) + text,
        ]
    )


def spoiled(number, draw):
    """The text of a file in which something may be spoiled besides its claim."""
    facts, kind = originals()[number % len(originals())], draw.random()
    _claimed(facts, draw)
    _refined(facts["fineness"], draw)
    if kind < 0.15:
        _hostile(facts["fineness"], draw)
    elif kind < 0.3:
        for _ in range(draw.choice((1, 1, 2))):
            _spoiled(facts, draw)
    text = json.dumps(facts)
    return _broken(text, draw) if kind > 0.85 else text


@dataclass(frozen=True)
class Outcome:
    """What became of a file: ``accepted`` and true, ``not verified``, ``refused``, ``FALSE``, ``SLOW`` or ``crash``."""

    kind: str
    number: int
    text: str = ""


def fuzzed(files, seed):
    """The outcomes of so many files."""
    with tempfile.TemporaryDirectory() as room:
        path = Path(room) / "file.json"
        for number in range(files):
            text = spoiled(number, random.Random(f"{seed} {number}"))
            path.write_bytes(text.encode("utf-8", "surrogatepass"))
            start = time.process_time()
            try:
                status, said = claim_files.examine(path, upper_slot.verify)
                kind = ("accepted", "not verified", "refused")[status]
            except Exception as error:  # a file must not end the program
                yield Outcome("crash", number, repr(error))
                continue
            spent = time.process_time() - start
            if status == 0 and false(json.loads(text)):
                yield Outcome("FALSE", number, text)
            elif "\n" in said or not said.isascii() or not said.isprintable():
                yield Outcome("crash", number, repr(said))
            else:
                yield Outcome("SLOW" if spent > SLOW else kind, number, said)


if __name__ == "__main__":
    sys.exit(command.run(__doc__, "spoiled certificates", 20_000, fuzzed, ("FALSE", "SLOW", "crash")))
