"""The rounds of a claim about a composition, and their laws.

A round is a mechanism with its numbers, the rate of its samples (1 where all records are used), and how often it runs.
Its law is that of the loss of a pair that dominates it: loss_laws.py and batch_laws.py say which.  All runs of Gaussian
noise on all records are one law, as variances of normal losses add up.  For some samplings a record is removed or
added, with a law for either direction, and for others it is replaced.
"""

from fractions import Fraction

from .batch_laws import law_of, lengths_of
from .claim_files import decimal, fields, integer, require
from .directed_decimals import exactly
from .loss_laws import discrete_gaussian, gaussian, k_ary_response, laplace, replaced_gaussian, response, sample
from .statement_sentences import said

# The numbers of each mechanism, with the least and the largest value of each.
NOISE = ("1e-3", "1e9")
RELEASES = ("1", "1e12")
RECORDS = ("1", "1e15")
MECHANISMS = {
    "rr": {"eps0": ("1e-9", "100"), "delta0": ("0", "1")},
    "krr": {"eps0": ("1e-9", "100"), "outputs": ("2", "1e9")},
    "gaussian": {"sigma": NOISE},
    "fixed-size-gaussian": {"sigma": NOISE},
    "reused-gaussian": {"sigma": NOISE, "releases": RELEASES},
    "reused-fixed-size-gaussian": {"sigma": NOISE, "releases": RELEASES},
    "replaced-gaussian": {"sigma": NOISE, "releases": RELEASES},
    "laplace": {"scale": ("1e-2", "1e9")},
    "discrete-laplace": {"scale": ("1e-2", "1e9")},
    "discrete-gaussian": {"sigma": ("1e-1", "1e3")},
    "random-lengths": {"sigma": NOISE, "lengths": None},
    "batch-gaussian": {"sigma": NOISE, "records": RECORDS, "batch": RECORDS, "group": RECORDS, "redrawn": ("0", "1")},
    "cut-gaussian": {"sigma": NOISE, "records": RECORDS, "batch": RECORDS},
}
# The numbers that are whole.
WHOLE = ("outputs", "releases", "records", "batch", "group", "redrawn")
# The share of delta, over the number of runs, that more places of a group in a batch may have than are told apart.
SHARE = Fraction("1e-7")
# The statement that an acceptance rests on for one run, and for several; others by mechanism, and by its sampling.
ONE_RUN = "curves"
MORE_RUNS = "composed-pairs"
REDUCTIONS = {
    "rr": "approximate-pair",
    "gaussian": "gaussian-noise",
    "fixed-size-gaussian": "gaussian-noise",
    "reused-gaussian": "gaussian-noise",
    "reused-fixed-size-gaussian": "gaussian-noise",
    "replaced-gaussian": "poisson-replacement",
    "laplace": "laplace-noise",
    "discrete-laplace": "discrete-noise",
    "discrete-gaussian": "discrete-noise",
    "random-lengths": "random-lengths",
    "batch-gaussian": "places-in-batch",
    "cut-gaussian": "cut-samples",
}
SAMPLING = {"poisson": "poisson-sampling", "fixed-size": "fixed-size-sampling"}
# Gaussian noise whose losses are one law where all records are used: their variances add up.
NORMAL = ("gaussian", "fixed-size-gaussian", "reused-gaussian", "reused-fixed-size-gaussian")
# The statements that an acceptance may rest on, in the order in which they are named.
STATEMENTS = (
    *(ONE_RUN, MORE_RUNS, "approximate-pair", "gaussian-noise", "laplace-noise", "discrete-noise"),
    *SAMPLING.values(),
    *("poisson-replacement", "random-lengths", "places-in-batch", "cut-samples"),
)
# Samplings for a record that is removed or added, and for one that is replaced.
REMOVED = {"poisson", "random-lengths", "cut-gaussian"}
REPLACED = {"fixed-size", "replaced", "batch-gaussian"}
# The mechanisms of batch_laws.py.
BATCHES = ("random-lengths", "batch-gaussian", "cut-gaussian")


def read_number(entry, key, ends):
    """Return a number of a round, or its lengths with their probabilities."""
    if ends is None:
        require(type(entry[key]) is str, f"{key} must be a text")
        return lengths_of(entry[key])
    number = decimal(entry, key, *ends)
    require(number.denominator == 1 or key not in WHOLE, f"{key} must be a whole number")
    return number


def read_round(entry):
    """Return a round as its name, its numbers in order, its rate, and its count."""
    require(
        type(entry) is dict and entry.get("mechanism") in [*MECHANISMS], f"a mechanism is not one of {[*MECHANISMS]}"
    )
    name = entry["mechanism"]
    fields(entry, {"mechanism", "rate", "count", *MECHANISMS[name]}, f"a round of {name}")
    numbers = tuple(read_number(entry, key, ends) for key, ends in MECHANISMS[name].items())
    rate = decimal(entry, "rate", "1e-30", "1")
    require(rate == 1 or name not in ("random-lengths", "batch-gaussian"), f"{name} has no rate but 1")
    return name, numbers, rate, integer(entry, "count", 1, 10**12)


def sampling_of(name, rate):
    """Return the sampling of a round: poisson, fixed-size, replaced, a name, or nothing where all records are used."""
    if name == "replaced-gaussian":
        return "replaced"
    if name in BATCHES:
        return name
    if rate == 1:
        return ""
    return "fixed-size" if "fixed-size" in name else "poisson"


def variance_of(sigma, releases=1):
    """Return the variance of the loss of Gaussian noise on two numbers 1 apart."""
    return releases / sigma**2


def statements_of(rounds, times):
    """Return the statements that the acceptance of a claim rests on."""
    runs = sum(count * (numbers[1] if "reused" in name else 1) for name, numbers, _, count in rounds) * times
    named = {REDUCTIONS.get(name) for name, *_ in rounds}
    named |= {SAMPLING.get(sampling_of(name, rate)) for name, _, rate, _ in rounds}
    return [ONE_RUN if runs == 1 else MORE_RUNS, *(key for key in STATEMENTS if key in named)]


def laws(rounds, times, direction, delta):
    """Return pairs (law, count) whose sum is the loss of all rounds; those of Gaussian noise are one law."""
    least = SHARE * delta / (times * sum(count for *_, count in rounds))
    counts = {}
    for name, numbers, rate, count in rounds:
        if name in NORMAL and rate == 1:
            counts["gaussian"] = counts.get("gaussian", 0) + count * times * variance_of(*numbers)
        else:
            counts[name, numbers, rate] = counts.get((name, numbers, rate), 0) + count * times
    pairs = [(gaussian(counts.pop("gaussian")), 1)] if "gaussian" in counts else []
    for (name, numbers, rate), count in counts.items():
        if name == "replaced-gaussian":
            pairs.append((replaced_gaussian(variance_of(*numbers), exactly(rate)), count))
            continue
        if name in BATCHES:
            pairs.append((law_of(name, numbers, exactly(rate), direction, least), count))
            continue
        law = {
            "rr": lambda eps0, delta0: response(eps0, exactly(delta0)),
            "krr": lambda eps0, outputs: k_ary_response(eps0, int(outputs)),
            **{noise: lambda *of: gaussian(variance_of(*of)) for noise in NORMAL},
            "laplace": laplace,
            "discrete-laplace": lambda scale: response(1 / scale),
            "discrete-gaussian": discrete_gaussian,
        }[name](*numbers)
        change = "replaced" if "fixed-size" in name else direction
        pairs.append((law if rate == 1 else sample(law, exactly(rate), change), count))
    return pairs


def words_of(entry):
    """Return a round of a claim in words."""
    numbers = said(entry, "mechanism", "rate", "count")
    rate = "" if Fraction(entry["rate"]) == 1 else f" on samples of rate {entry['rate']}"
    return f"{entry['count']} x {entry['mechanism']} ({numbers}){rate}"
