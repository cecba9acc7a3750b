r"""Check upper certificates of composed mechanisms, every rounding upward: python upper_loss.py FILE.

A certificate claims that the mechanisms of ``rounds``, each run ``count`` times, all of them run ``times`` times on the
same records, each run free to depend on all earlier outputs, are together (epsilon, delta)-DP.  The file holds the
claim and the ``fineness`` of the computation.  Whatever the fineness is, what the program accepts is true: the fineness
decides only how near delta may be to the truth.  The program needs the standard library and, beside it, these modules,
each of which has the proof of what it does at its top:

    batch_laws.py            the law of the loss of one run on a random batch, or with a random length
    binomial_masses.py       masses of binomials
    certificate_file.py      the reading of a file, and verdicts
    directed_decimals.py     decimals that enclose a number
    discrete_weights.py      the weights of discrete Gaussian noise
    fixed_point.py           integers that stand for numbers
    lattice_sums.py          sums of measures on a lattice
    loss_laws.py             the law of the loss of one run
    loss_lattice.py          the sum of many losses
    statement_sentences.py   the sentences of statements

**1. The claim.**  For two laws P and Q of an output, L = log dP/dQ is the loss (it may be infinite), and the least
delta at epsilon is D(epsilon) = E_P (1 - e^(epsilon - L))_+ (curves, as all names in brackets a statement of
STATEMENTS).  A pair dominates a mechanism if its curve D is nowhere below that of two neighbours, at any real epsilon.
Losses of pairs that dominate the runs one by one add up, independent, to that of a pair that dominates all runs
together, adaptive ones too (composed-pairs).

**2. The proof.**  loss_laws.py and batch_laws.py name, for each mechanism, a pair that dominates it, and enclose its
loss; of a group's places in a batch those are told apart of which more have a probability above a share of delta.
loss_lattice.py replaces each law by a measure on a lattice whose curve is nowhere lower, before and after any sum, and
says what delta is in the end.  One law that counts once needs no lattice: delta = P(L > epsilon) - e^epsilon
Q(L > epsilon).  That of a single round whose pair is attained, from below, shows that a claim is false.
"""

import sys
from fractions import Fraction
from os.path import abspath, dirname

if __package__:
    from .batch_laws import law_of, lengths_of
    from .certificate_file import ERRORS, check_file, decimal, fields, integer, judgement, main, refusal, require
    from .directed_decimals import DOWN, UP, ZERO, Ends, exactly, exp_of
    from .loss_lattice import delta_of, lattice_law, power_law, read_fineness, sum_law
    from .loss_laws import discrete_gaussian, gaussian, k_ary_response, laplace, replaced_gaussian, response, sample
    from .statement_sentences import sentences_of
else:  # run alone, beside these modules
    sys.path.insert(0, dirname(abspath(__file__)))
    from batch_laws import law_of, lengths_of  # type: ignore[no-redef]
    from certificate_file import ERRORS, check_file, decimal, fields, integer, judgement, main, refusal, require  # type: ignore[no-redef]
    from directed_decimals import DOWN, UP, ZERO, Ends, exactly, exp_of  # type: ignore[no-redef]
    from loss_lattice import delta_of, lattice_law, power_law, read_fineness, sum_law  # type: ignore[no-redef]
    from loss_laws import discrete_gaussian, gaussian, k_ary_response, laplace, replaced_gaussian, response, sample  # type: ignore[no-redef]
    from statement_sentences import sentences_of  # type: ignore[no-redef]

# The most rounds, each of which has a law of its own.
MOST_ROUNDS = 100
# The keys of a claim.
CLAIM_KEYS = {"mechanism", "rounds", "times", "epsilon", "delta"}
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
# The statements that an acceptance may rest on.
STATEMENTS = sentences_of(
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


def delta_ends(pairs, epsilon, fine):
    """Return Ends of delta at epsilon; the lower one is that of a single round."""
    single = []
    for law, _ in pairs:
        p, q = law.tails(epsilon, epsilon)
        x = exp_of(epsilon)
        low = DOWN.subtract(p[0], UP.multiply(x[1], q[1])) if law.attained else ZERO
        single.append(Ends(low, UP.subtract(p[1], DOWN.multiply(x[0], q[0]))))
    if len(pairs) == 1 and pairs[0][1] == 1:
        return single[0]
    whole_law = None
    for law, count in pairs:
        power = power_law(lattice_law(law, fine), count, fine)
        whole_law = power if whole_law is None else sum_law(whole_law, power, fine)
    return Ends(max(low for low, _ in single), delta_of(whole_law, epsilon, fine))


def upper_delta(facts):
    """Return Ends of delta at the claim's epsilon, the claim and its statements; raise ValueError for other files."""
    check_file(facts, "upper_loss")
    claim = fields(facts["claim"], CLAIM_KEYS, "the claim")
    require(claim["mechanism"] == "composition", "the mechanism is not known")
    rounds, times = claim["rounds"], integer(claim, "times", 1, 10**12)
    require(type(rounds) is list and 1 <= len(rounds) <= MOST_ROUNDS, f"rounds must be from 1 to {MOST_ROUNDS}")
    rounds = [read_round(entry) for entry in rounds]
    epsilon = decimal(claim, "epsilon", "0", "1e7")
    delta = decimal(claim, "delta", "0", "1")
    samplings = {sampling_of(name, rate) for name, _, rate, _ in rounds}
    # A record is removed or added for the one, and replaced for the others.
    complaint = "samples for a record that is removed or added, and for one that is replaced, do not go together"
    require(not (REMOVED & samplings and REPLACED & samplings), complaint)
    # A round without a group is for one record: a larger group is that of all rounds.
    groups = {numbers[3] if name == "batch-gaussian" else 1 for name, numbers, *_ in rounds}
    require(len(groups) == 1, "groups of different sizes do not go together")
    directions = ("removed", "added") if REMOVED & samplings else ("",)
    products = len(directions) * sum(2 * (count * times).bit_length() for *_, count in rounds)
    fine = read_fineness(facts["fineness"], products, len(rounds))
    worst = [delta_ends(laws(rounds, times, direction, delta), epsilon, fine) for direction in directions]
    return Ends(max(low for low, _ in worst), max(high for _, high in worst)), statements_of(rounds, times)


def sentence_of(claim):
    """Return the claim in words."""
    words = []
    for entry in claim["rounds"]:
        numbers = ", ".join(f"{key} {entry[key]}" for key in MECHANISMS[entry["mechanism"]])
        rate = "" if Fraction(entry["rate"]) == 1 else f" on samples of rate {entry['rate']}"
        words.append(f"{entry['count']} x {entry['mechanism']} ({numbers}){rate}")
    times = "" if claim["times"] == 1 else f", {claim['times']} times"
    return f"{' and '.join(words)}{times} is ({claim['epsilon']}, {claim['delta']})-DP"


def verify(facts):
    """Return the verdict on the content of a file; whatever the content is, it raises no error."""
    try:
        ends, statements = upper_delta(facts)
    except ERRORS as error:
        return refusal(error)
    rests = f"this rests on {' and '.join(statements)}"
    return judgement(ends, facts["claim"]["delta"], f"{sentence_of(facts['claim'])}; {rests}")


if __name__ == "__main__":
    main(verify, misuse=1)
