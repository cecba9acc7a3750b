"""Formulas of theorems at the ends of their ranges, against 80 digits: they must err by less than verdicts grant them.

Most are evaluated anew as they are written, with the functions and numbers of mpmath in the place of floats: what is
found is round-off, not a wrong formula.  Those that are sums, or made of fractions and decimals, are written down again
from their statements.
"""

import math
import random
from fractions import Fraction
from functools import cache, partial
from types import FunctionType

import mpmath
from mpmath import mpf

from pldcheck.core.errors import PldcheckError
from pldcheck.core.parameters import PARAMETERS
from pldcheck.study.mutation import formula_edits
from pldcheck.theorems import REGISTRY
from pldcheck.verification import FORMULA_SLACK

from .cells import Cell, log_uniform

DIGITS = 80
# Draws until a theorem has a value.
TRIES = 20_000
FUNCTIONS = ("exp", "expm1", "log", "log1p", "sqrt", "tanh", "atanh", "sinh", "cosh")
# Sums are kept short: so many steps, clients and orders.
SHORT = {
    "pld-7": {"steps": 300},
    "pld-9": {"steps": 7},
    "rr-24": {"steps": 200},
    "kov": {"steps": 300},
    "rdp-34": {"order": 60},
    "girgis-ub1": {"order": 400},
    "girgis-lb": {"order": 30},
    "vr-wang": {"clients": 30},
    "krr-merged": {"clients": 30},
    "chua24-cut": {"records": 300},
    "mtz19-replaced": {"order": 60},
    "zw19-general": {"order": 60},
    "wbk19-9": {"order": 60},
    "fmt21-renyi": {"clients": 30},
    "fmt22-renyi": {"clients": 30},
    "bbg18-10": {"batch": 300},
    "bbg18-10-single": {"batch": 300},
    "biswas23-one-value": {"clients": 100},
    "gdd21-upper": {"order": 40},
    "gdd21-lower": {"order": 40},
    "gdd21-exact": {"order": 40},
}


@cache
def exact_names(module):
    """Return a module's names with mpmath's functions, and its functions made of them."""
    formulas = formula_edits.source(module)
    names = {**formulas.names}
    names |= {name: getattr(mpmath, name) for name in FUNCTIONS if names.get(name) is getattr(math, name)}
    names |= {"fsum": lambda terms: mpmath.fsum(list(terms)), "pi": +mpmath.pi, "float": mpf}
    names |= {"floor": lambda x: int(mpmath.floor(x)), "ceil": lambda x: int(mpmath.ceil(x)), "ldexp": mpmath.ldexp}
    exec(formula_edits._compile([formula_edits._rebuild(node) for node in formulas.functions.values()]), names)
    for name, value in list(names.items()):
        home = getattr(value, "__module__", None) or ""
        if isinstance(value, FunctionType) and home.startswith("pldcheck.theorems") and home != module:
            names[name] = exact_names(home)[value.__name__]
    return names


def evaluate(function):
    """Return the function as the same expression in 80 digits; a lambda is made of exact operations and is called as it
    is.
    """
    if function.__name__ == "<lambda>":
        return function
    return exact_names(function.__module__)[function.__name__]


def gaussian(mu, epsilon):
    lift = mpmath.exp(epsilon)
    return mpmath.ncdf(mu / 2 - epsilon / mu) - lift * mpmath.ncdf(-mu / 2 - epsilon / mu)


def response(steps, eps0, epsilon):
    """Sum over lies of (P - e^epsilon Q)+, for equal budgets."""
    total = mpf(0)
    for lies in range(steps + 1):
        gain = mpmath.exp((steps - lies) * eps0) - mpmath.exp(epsilon + lies * eps0)
        total += mpmath.binomial(steps, lies) * max(gain, 0)
    return total / (1 + mpmath.exp(eps0)) ** steps


def convolution(steps, eps0, eps0_last, epsilon):
    budgets = [eps0 + (eps0_last - eps0) * i / max(1, steps - 1) for i in range(steps)]
    atoms = [(mpf(0), mpf(1))]
    for budget in budgets:
        truth = 1 / (1 + mpmath.exp(-budget))
        sides = ((budget, truth), (-budget, 1 - truth))
        atoms = [(loss + more, p * share) for loss, p in atoms for more, share in sides]
    return mpmath.fsum(p * (1 - mpmath.exp(epsilon - loss)) for loss, p in atoms if loss > epsilon)


def first_upper(clients, eps0, order):
    n, x, alpha = clients, mpmath.exp(eps0), int(order)
    bar = int(mpmath.floor((n - 1) / (2 * x))) + 1
    total = 1 + mpmath.binomial(alpha, 2) * (x - 1) ** 2 / (bar * x) + mpmath.exp(eps0 * alpha - (n - 1) / (8 * x))
    for i in range(3, alpha + 1):
        power = ((x * x - 1) ** 2 / (2 * x * x * bar)) ** (mpf(i) / 2)
        total += mpmath.binomial(alpha, i) * i * mpmath.gamma(mpf(i) / 2) * power
    return mpmath.log(total) / (alpha - 1)


def three_symbols(clients, eps0, epsilon, alpha):
    n, x, kappa = clients, mpmath.exp(eps0), mpmath.exp(epsilon)
    total = mpf(0)
    for c in range(n + 1):
        mass = mpmath.binomial(n, c) * (2 * alpha) ** c * (1 - 2 * alpha) ** (n - c)
        rest = (kappa - 1) * (1 - (x + 1) * alpha) / (1 - 2 * alpha) * (n - c) if c < n else mpf(0)
        for a in range(c + 1):
            gain = (x - kappa) * a + (1 - x * kappa) * (c - a) - rest
            total += mass * mpmath.binomial(c, a) / mpf(2) ** c * max(gain, 0) / n
    return total


def pair_of_clones(clients, eps0, order, share):
    x, excess = mpmath.exp(eps0), mpf(0)
    for c in range(clients):
        weight = mpmath.binomial(clients - 1, c) * share**c * (1 - share) ** (clients - 1 - c)
        for k in range(c + 2):
            above, below = x * k + (c + 1 - k), k + x * (c + 1 - k)
            mass = mpmath.binomial(c + 1, k) * below / (mpf(2) ** c * (x + 1) * (c + 1))
            excess += weight * mass * ((above / below) ** order - 1)
    return mpmath.log(1 + excess) / (order - 1)


def count_of_one(clients, eps0, categories, epsilon):
    x, kappa = mpmath.exp(eps0), mpmath.exp(epsilon)
    p, total = 1 / (x + categories - 1), mpf(0)
    for v in range(clients + 1):
        same = mpmath.binomial(clients - 1, v) * p**v * (1 - p) ** (clients - 1 - v)
        before = mpmath.binomial(clients - 1, v - 1) * p ** (v - 1) * (1 - p) ** (clients - v) if v else mpf(0)
        total += max(mpf(0), x * p * before + (1 - x * p) * same - kappa * (p * before + (1 - p) * same))
    return total


def personal_limit(clients, eps0, eps0_last, delta0, epsilon):
    shares = [
        (1 - delta0) / (1 + mpmath.exp(eps0 + (eps0_last - eps0) * mpf(i) / (clients - 1))) for i in range(clients)
    ]
    return gaussian(mpmath.sqrt(2 / (mpmath.fsum(shares) - max(shares))), epsilon)


def shuffled_sample(clients, batch, eps0, order):
    x, rate, alpha = mpmath.exp(eps0), mpf(batch) / clients, int(order)
    bar, g = int(mpmath.floor((batch - 1) / (2 * x))) + 1, x - 1 / x
    total = 4 * mpmath.binomial(alpha, 2) * rate**2 * (x - 1) ** 2 / (bar * x)
    for j in range(3, alpha + 1):
        total += mpmath.binomial(alpha, j) * rate**j * j * mpmath.gamma(mpf(j) / 2) * (2 * g * g / bar) ** (mpf(j) / 2)
    total += ((1 + rate * g) ** alpha - 1 - alpha * rate * g) * mpmath.exp(-(batch - 1) / (8 * x))
    return mpmath.log(1 + total) / (alpha - 1)


def cut_sample(sigma, rate, records, largest_batch, epsilon):
    tail = mpmath.fsum(
        mpmath.binomial(records + 1, k) * rate**k * (1 - rate) ** (records + 1 - k)
        for k in range(largest_batch + 1, records + 2)
    )
    sampled = rate * gaussian(1 / sigma, mpmath.log(1 + (mpmath.exp(epsilon) - 1) / rate))
    return min(1, sampled + (1 + mpmath.exp(epsilon)) * tail)


def limit_with_error(steps, eps0, epsilon):
    curve = gaussian(2 * mpmath.sqrt(steps) * mpmath.sinh(eps0 / 2), epsilon)
    distance = mpf(0.56) * mpmath.cosh(eps0) / mpmath.cosh(eps0 / 2) / mpmath.sqrt(steps)
    return min(1, curve + distance * (1 + mpmath.exp(epsilon)))


def converted(steps, eps0, order, epsilon):
    moment = mpmath.log((mpmath.exp(order * eps0) + mpmath.exp((1 - order) * eps0)) / (1 + mpmath.exp(eps0)))
    logs = (order - 1) * mpmath.log(1 - 1 / order) - mpmath.log(order)
    return min(mpf(1), mpmath.exp(steps * moment - (order - 1) * epsilon + logs))


FORMULAS = {
    "rdp-33-delta": converted,
    "vadhan17-group": lambda sigma, group, epsilon: min(
        1, group * mpmath.exp(group * epsilon) * gaussian(1 / sigma, epsilon)
    ),
    "group-linear": lambda sigma, group, epsilon: min(1, group * gaussian(1 / sigma, epsilon)),
    "drs19-3.4": limit_with_error,
    "bbg18-8": lambda sigma, rate, epsilon: rate * gaussian(1 / sigma, epsilon),
    "bbg18-9": lambda sigma, records, batch, epsilon: mpf(batch) / (records + 1) * gaussian(1 / sigma, epsilon),
    "reused-apart": lambda sigma, rate, releases, epsilon: min(1, releases * rate * gaussian(1 / sigma, epsilon)),
    "reused-together": lambda sigma, rate, releases, epsilon: rate * gaussian(mpmath.sqrt(releases) / sigma, epsilon),
    "chua24-cut": cut_sample,
    "sub-29-gaussian": lambda sigma, eps0, rate: rate * gaussian(1 / sigma, eps0),
    "sub-29-fixed": lambda sigma, eps0, rate: rate * gaussian(1 / sigma, eps0),
    "gauss-8": lambda sigma, epsilon: gaussian(1 / sigma, epsilon),
    "gauss-10": lambda sigma, steps, epsilon: gaussian(mpmath.sqrt(steps) / sigma, epsilon),
    "pld-7": response,
    "kov": lambda steps, eps0, delta0, epsilon: 1 - (1 - delta0) ** steps * (1 - response(steps, eps0, epsilon)),
    "pld-9": convolution,
    "chen-gdp": lambda clients, eps0, epsilon: gaussian(2 * mpmath.exp(eps0 / 2) / mpmath.sqrt(clients - 1), epsilon),
    "fmt21-renyi": lambda clients, eps0, order: pair_of_clones(clients, eps0, order, mpmath.exp(-eps0)),
    "fmt22-renyi": lambda clients, eps0, categories, order: pair_of_clones(
        clients, eps0, order, 2 / (mpmath.exp(eps0) + 1)
    ),
    "bbg18-10": lambda eps0, records, batch, epsilon: (
        (1 - (1 - 1 / mpf(records + 1)) ** batch)
        * max(mpf(0), mpmath.exp(eps0) - mpmath.exp(epsilon))
        / (mpmath.exp(eps0) + 1)
    ),
    "bbg18-10-single": lambda sigma, records, batch, epsilon: (
        (1 - (1 - 1 / mpf(records + 1)) ** batch) * gaussian(1 / sigma, epsilon)
    ),
    "biswas23-one-value": count_of_one,
    "ccg24-personal": lambda clients, eps0, eps0_last, epsilon: personal_limit(clients, eps0, eps0_last, 0, epsilon),
    "ccg24-personal-approximate": personal_limit,
    "gdd21-upper": shuffled_sample,
    "girgis-ub1": first_upper,
    "vr-wang": lambda clients, eps0, tv, epsilon: three_symbols(clients, eps0, epsilon, tv / (mpmath.exp(eps0) - 1)),
    "krr-merged": lambda clients, eps0, categories, epsilon: three_symbols(
        clients, eps0, epsilon, 1 / (mpmath.exp(eps0) + categories - 1)
    ),
}
# Rounded up on purpose, by 1e-10: no formula to be met.
ROUNDED = {"rr-24"}
# An equation that is solved, a quadrature, fractions or a sum of decimals: tests/theorems meets each at many digits.
SOLVED = {
    *("drs19-limit", "bu20-limit", "rruv16-filter", "fs25-remove", "fs25-add", "fs25-decomposition"),
    *("poisson-allocation", "poisson-for-shuffled", "lt22-opposite", "glw21-5.5", "rounded-up"),
    *("basic-2.1", "gauss-3", "gauss-8-simple", "kov-unequal", "rr-24-approx"),
    *("pld-7-expectation", "pld-7-integral", "pld-7-tail"),
}
OMISSIONS = ROUNDED | SOLVED


def value_of(name: str, draw: random.Random, short: dict) -> float:
    parameter = PARAMETERS[name]
    high = min(parameter.high, short.get(name, 1e12))
    if parameter.integer:
        return max(int(parameter.low), int(log_uniform(draw, max(parameter.low, 1), high)))
    if name in ("eps0", "eps0_last", "epsilon"):
        return draw.choice([log_uniform(draw, 1e-14, 1.0), draw.uniform(0.1, 20.0), log_uniform(draw, 1e-2, 10.0)])
    if name == "delta":
        return draw.choice([log_uniform(draw, 1e-300, 1.0), 1.0 - log_uniform(draw, 1e-12, 0.1)])
    if name == "order":
        whole = float(int(log_uniform(draw, 2.0, min(high, 400.0))))
        return draw.choice([1.0 + log_uniform(draw, 1e-9, 10.0), whole, whole])
    value = log_uniform(draw, max(parameter.low, 1e-14), min(high, 1e9))
    return 1.0 - log_uniform(draw, 1e-14, 0.5) if parameter.high == 1 and draw.random() < 0.3 else value


def epsilon_near_largest(draw: random.Random, params: dict) -> dict:
    """Return an epsilon below the largest loss, and next to it: elsewhere curves of pure mechanisms are zero."""
    if "epsilon" in params and "eps0" in params and draw.random() < 0.8:
        largest = params["eps0"] * (params.get("steps", 1) if "steps" in params else 1)
        share = draw.choice([draw.random(), 1.0 - log_uniform(draw, 1e-15, 0.5), log_uniform(draw, 1e-12, 1.0)])
        return {**params, "epsilon": min(largest * share, 690.0)}
    return params


def formula(name: str, draw: random.Random) -> Cell:
    theorem = REGISTRY[name]
    for _ in range(TRIES):
        params = {each: value_of(each, draw, SHORT.get(name, {})) for each in theorem.parameters}
        try:
            bound = theorem(**epsilon_near_largest(draw, params))
        except PldcheckError:
            continue
        break
    else:
        raise AssertionError(f"no point of {name} was found in {TRIES} draws")
    slack, value = Fraction(FORMULA_SLACK), Fraction(bound.value)

    def answer():
        # Where the quantity is claimed is a number of the theorem as well, and errs by less than that.
        return value * (1 - slack), value * (1 + slack)

    def truth():
        with mpmath.workdps(DIGITS):
            arguments = {each: at if PARAMETERS[each].integer else mpf(at) for each, at in bound.params.items()}
            exact = (FORMULAS.get(name) or evaluate(theorem.formula))(**arguments)
            return (_fraction(mpmath.mpf(exact)),) * 2

    return Cell(f"{name}({', '.join(f'{each}={at!r}' for each, at in bound.params.items())})", answer, truth)


def _fraction(number: mpf) -> Fraction:
    sign, mantissa, exponent, _ = number._mpf_
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


HUNTS = {f"formula of {name}": partial(formula, name) for name in REGISTRY if name not in OMISSIONS}
