"""Slow twins: obvious, high-precision versions that share no code with pldcheck.

Numbers are python-flint balls (``arb``): they enclose the true value, so a comparison that holds is a proof.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb, factorial

from flint import acb, arb, arb_poly, ctx, fmpz


def hidden_slot_delta(m: int, eps0: float, epsilon: float, w: float) -> arb:
    """Return delta(epsilon) of one hidden slot over all five extreme laws on all six vertices, by recursion on
    multisets.
    """
    with ctx.workprec(160):
        x, kappa = arb(eps0).exp(), arb(epsilon).exp()
        one = arb(1)
        vertex = {"A": (1 / x, 1 / x), "B": (one, 1 / x), "C": (x, one), "D": (x, x), "E": (one, x), "F": (1 / x, one)}
        laws = {
            "AD": (x / (x + 1), 1 / (x + 1)),
            "BE": (x / (x + 1), 1 / (x + 1)),
            "CF": (1 / (x + 1), x / (x + 1)),
            "ACE": (x / (x + 2), 1 / (x + 2), 1 / (x + 2)),
            "BDF": (x / (2 * x + 1), 1 / (2 * x + 1), x / (2 * x + 1)),
        }
        names = "ABCDEF"
        step = {v: ((a - 1) - kappa * (b - 1)) * arb(w) / m for v, (a, b) in vertex.items()}

        @cache
        def value(counts: tuple[int, ...], to_go: int) -> arb:
            if to_go == 0:
                u = 1 - kappa
                for v, n in zip(names, counts, strict=True):
                    u += n * step[v]
                return u.max(arb(0))
            options = []
            for law, chances in laws.items():
                total = arb(0)
                for v, p in zip(law, chances, strict=True):
                    i = names.index(v)
                    total += p * value(counts[:i] + (counts[i] + 1,) + counts[i + 1 :], to_go - 1)
                options.append(total)
            best = options[0]
            for other in options[1:]:
                best = best.max(other)
            return best

        return value((0,) * 6, m)


def two_point_delta(m: int, eps0: float, epsilon: float, w: float, law: str) -> arb:
    """Return delta(epsilon) when every slot uses BE or CF: the binomial sum, term by term."""
    with ctx.workprec(200):
        x, kappa = arb(eps0).exp(), arb(epsilon).exp()
        if law == "BE":
            up, down, p = kappa * (1 - 1 / x), -kappa * (x - 1), x / (x + 1)
        else:
            up, down, p = x - 1, 1 / x - 1, 1 / (x + 1)
        total = arb(0)
        term = (1 - p) ** m
        for j in range(m + 1):
            u = 1 - kappa + arb(w) / m * (j * up + (m - j) * down)
            total += term * u.max(arb(0))
            term *= p / (1 - p) * (m - j) / (j + 1)
        return total


def three_point_delta(m: int, eps0: float, epsilon: float, w: float) -> arb:
    """Return delta(epsilon) when every slot uses ACE: the trinomial sum, term by term."""
    with ctx.workprec(200):
        x, kappa = arb(eps0).exp(), arb(epsilon).exp()
        a, c, e = (kappa - 1) * (1 - 1 / x), x - 1, -kappa * (x - 1)
        total = arb(0)
        for n in range(m + 1):  # symbols that are not A
            outer = arb(m).bin(n) * (2 / (x + 2)) ** n * (x / (x + 2)) ** (m - n) / arb(2) ** n
            for k in range(n + 1):
                u = 1 - kappa + arb(w) / m * ((m - n) * a + k * c + (n - k) * e)
                total += outer * arb(n).bin(k) * u.max(arb(0))
        return total


def sum_stop_loss(atoms: list[Fraction], masses: list[Fraction], power: int, start: Fraction) -> Fraction:
    """Return E(start + Y_1 + ... + Y_power)_+ by enumerating the convolution exactly."""
    law = {Fraction(0): Fraction(1)}
    for _ in range(power):
        after: dict[Fraction, Fraction] = {}
        for place, p in law.items():
            for y, q in zip(atoms, masses, strict=True):
                after[place + y] = after.get(place + y, Fraction(0)) + p * q
        law = after
    return sum((max(start + place, Fraction(0)) * p for place, p in law.items()), Fraction(0))


def _exact_law(table: dict, x: Fraction) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Return (probability under the reference, a, a') of each output of a witness's table."""
    total = sum(x**power for power in table["reference"])
    return [
        (x**p / total, x ** (r - p), x ** (s - p))
        for p, r, s in zip(table["reference"], table["record"], table["replacement"], strict=True)
    ]


def _law_at(witness: dict, to_go: int, place: Fraction) -> str:
    if witness["kind"] == "law":
        return witness["law"]
    for piece in witness["policy"]:
        if piece["to_go"] >= to_go:
            return piece["laws"][sum(1 for threshold in piece["thresholds"] if place >= Fraction(threshold))]
    raise AssertionError("the policy has no slice for this time")


def witness_delta(witness: dict, x: Fraction, kappa: Fraction) -> tuple[Fraction, Fraction]:
    """Return (what the witness's randomizer attains, the value on merged states): its tables alone, all outputs
    enumerated.

    Without merging the two agree.  A history is (probability, real u, place the policy sees).
    """
    m, w, cell = witness["steps"], Fraction(witness["weight"]), witness.get("cell")
    laws = {name: _exact_law(table, x) for name, table in witness["laws"].items()}
    for law in laws.values():  # a randomizer: probabilities under each of the three inputs, all ratios within x
        assert sum(p for p, _, _ in law) == sum(p * a for p, a, _ in law) == sum(p * b for p, _, b in law) == 1
        assert all(1 / x <= ratio <= x for _, a, b in law for ratio in (a, b, a / b))
    start = (1 - kappa) * m / w
    histories = [(Fraction(1), start, start)]
    for t in range(m):
        after = []
        for p, u, place in histories:
            for q, a, b in laws[_law_at(witness, m - t, place)]:
                s = (a - 1) - kappa * (b - 1)
                after.append((p * q, u + s, place + s))
        if cell is not None:
            groups: dict[int, list] = {}
            for history in after:
                groups.setdefault(history[2] // Fraction(cell), []).append(history)
            after = []
            for group in groups.values():
                mass = sum(p for p, _, _ in group)
                mean = sum(p * place for p, _, place in group) / mass
                after += [(p, u, mean) for p, u, _ in group]
        histories = after
    score = sum((p * max(u, Fraction(0)) for p, u, _ in histories), Fraction(0))
    lattice_score = sum((p * max(place, Fraction(0)) for p, _, place in histories), Fraction(0))
    return w / m * score, w / m * lattice_score


def randomized_response_delta(eps0: float, epsilon: float, w: float) -> arb:
    """Return delta of one slot: [1 - kappa + w (x - 1)]_+ / (x + 1) for CF and w kappa-scaled for BE, the larger."""
    with ctx.workprec(120):
        x, kappa = arb(eps0).exp(), arb(epsilon).exp()
        cf = (1 - kappa + arb(w) * (x - 1)).max(arb(0)) / (x + 1)
        be = (1 - kappa + arb(w) * kappa * (1 - 1 / x)).max(arb(0)) * x / (x + 1)
        return cf.max(be)


# Privacy loss distributions: exact delta(epsilon) of compositions.


def response_delta(eps0: float, copies: int, epsilon: float, delta0: float = 0.0) -> arb:
    """Return delta of ``copies`` x (eps0, delta0)-randomized response: the binomial sum; a geometric remainder when far
    below it.
    """
    with ctx.workprec(300):
        e, target = arb(eps0), arb(epsilon)
        p = 1 / (1 + (-e).exp())
        finite = (1 - arb(delta0)) ** copies
        first = ((target / e + copies) / 2).floor()
        j = max(int(first.lower().floor().fmpz()) - 1, 0) if first.is_finite() else 0
        total = 1 - finite
        if j > copies:
            return total
        term = arb(copies).bin(j) * p**j * (1 - p) ** (copies - j) if copies < 10**6 else _binomial(copies, j, p)
        odds = e.exp()
        while j <= copies:
            total += finite * term * (1 - (target - (2 * j - copies) * e).exp()).max(arb(0))
            ratio = odds * (copies - j) / (j + 1)
            term *= ratio
            j += 1
            if ratio < 1 and term * ratio < arb(2) ** -120 * total:  # ratios fall: the rest is below a geometric series
                return total + (term / (1 - ratio)).union(arb(0))
        return total


def _binomial(n: int, j: int, p: arb) -> arb:
    logs = arb(n + 1).lgamma() - arb(j + 1).lgamma() - arb(n - j + 1).lgamma()
    return (logs + j * p.log() + (n - j) * (1 - p).log()).exp()


def responses_delta(multiples: list[int], step: float, epsilon: float) -> arb:
    """Return delta of randomized responses with eps0 = multiple * step, composed: the product of their polynomials in
    exp(step).
    """
    with ctx.workprec(300):
        e, target = arb(step), arb(epsilon)
        low = -sum(multiples)
        total = arb(0)
        for j, mass in enumerate(_responses_masses(tuple(multiples), step)):
            total += mass * (1 - (target - (low + j) * e).exp()).max(arb(0))
        return total


@cache
def _responses_masses(multiples: tuple[int, ...], step: float) -> list[arb]:
    with ctx.workprec(300):
        e, factors = arb(step), []
        for n in multiples:
            p = 1 / (1 + (-n * e).exp())
            factors.append(arb_poly([1 - p] + [0] * (2 * n - 1) + [p]))
        while len(factors) > 1:
            factors = [
                factors[i] * factors[i + 1] if i + 1 < len(factors) else factors[i] for i in range(0, len(factors), 2)
            ]
        return factors[0].coeffs()


def gaussian_delta(variance: arb, epsilon: float) -> arb:
    """Return phi(m/2 - e/m) - exp(e) Phi(-m/2 - e/m), m^2 = variance (Balle, Wang 2018)."""
    with ctx.workprec(400):
        m, e = variance.sqrt(), arb(epsilon)
        return _normal_cdf(m / 2 - e / m) - e.exp() * _normal_cdf(-m / 2 - e / m)


def _normal_cdf(x: arb) -> arb:
    return (-x / arb(2).sqrt()).erfc() / 2


def laplace_delta(eps0: arb, copies: int, epsilon: float) -> arb:
    r"""Return delta of ``copies`` x Laplace, in closed form.

    One loss has the law :math:`e^{(l - e)/2} (\delta_e/2 + \delta_{-e}/2 + 1_{(-e, e)}/4)`, e = eps0, so that of
    the sum is exp((s - ke)/2) times atoms and truncated powers.
    """
    with ctx.workprec(1500):
        e, start = arb(eps0), arb(epsilon)
        end, half = copies * e, arb(1) / 2
        total = arb(0)
        for m in range(copies + 1):  # factors that are continuous
            for r in range(copies + 1):
                weight = sum(
                    (-1) ** i * comb(m, i) * comb(copies - m, r - i) for i in range(m + 1) if 0 <= r - i <= copies - m
                )
                if weight == 0:
                    continue
                place = (2 * r - copies) * e
                scale = arb(comb(copies, m)) * weight / arb(2) ** (copies + m)
                if m == 0:
                    part = ((place * half).exp() - (start - place * half).exp()) * (1 if place > start else 0)
                else:
                    low = (start - place).max(arb(0))
                    if not low < end - place:
                        continue
                    rising = (place * half).exp() * _power_exp(m - 1, half, low, end - place)
                    part = rising - (start - place * half).exp() * _power_exp(m - 1, -half, low, end - place)
                total += scale * part
        return total * (-end * half).exp()


def _power_exp(n: int, rate: arb, low: arb, high: arb) -> arb:
    """Return the integral of t^n/n! exp(rate t) from low to high, by parts."""
    value = ((rate * high).exp() - (rate * low).exp()) / rate
    for i in range(1, n + 1):
        ends = (high**i * (rate * high).exp() - low**i * (rate * low).exp()) / factorial(i)
        value = (ends - value) / rate
    return value


def laplace_log_mgf(eps0: arb, z: acb) -> acb:
    """Return the log of M(z) = e^(ez)/2 + e^(-e(z + 1))/2 + (1/4) int_-e^e e^((l - e)/2 + zl) dl, the branch of ez."""
    e, y = acb(eps0), z + acb(1) / 2
    fall = (-2 * e * y).exp()
    return e * z + ((1 + fall) / 2 + (1 - fall) / (4 * y)).log()


def fourier_delta(log_mgf, epsilon: float, theta: float, spacing: float, nodes: int) -> arb:
    """Return delta by the trapezoidal rule on Re z = theta; its aliases and its cut are the caller's business."""
    with ctx.workprec(300):
        total, h, e = arb(0), arb(spacing), arb(epsilon)
        for n in range(nodes):
            z = acb(theta, h * n)
            term = (log_mgf(z) - z * e).exp() / (z * (z + 1))
            total += term.real * (1 if n == 0 else 2)
        return total * h / (2 * arb.pi())


def products_delta(pairs: list[tuple[list[Fraction], list[Fraction], int]], epsilon: float) -> arb:
    """Return sum (P - exp(epsilon) Q)_+ over all outcomes of independent pairs (p, q, copies), multisets enumerated."""
    table = {(Fraction(1), Fraction(1)): 1}
    for p, q, copies in pairs:
        for _ in range(copies):
            after: dict[tuple[Fraction, Fraction], int] = {}
            for (a, b), n in table.items():
                for x, y in zip(p, q, strict=True):
                    key = (a * x, b * y)
                    if key[0]:
                        after[key] = after.get(key, 0) + n
            table = after
    with ctx.workprec(250):
        kappa = arb(epsilon).exp()
        total = arb(0)
        for (a, b), n in table.items():
            total += n * (_ball(a) - kappa * _ball(b)).max(arb(0))
        return total


def weights(values) -> list[Fraction]:
    """Return floats read as weights: divided by their exact sum."""
    exact = [Fraction(float(value)) for value in values]
    return [value / sum(exact) for value in exact]


def _ball(value: Fraction) -> arb:
    return arb(fmpz(value.numerator)) / arb(fmpz(value.denominator))


def sampled_gaussian_delta(sigma: float, rate: float, epsilon: arb, *, backward: bool) -> arb:
    """Return delta of one step of the Gaussian mechanism on a Poisson sample, in closed form: the loss is monotone in
    the output.
    """
    with ctx.workprec(400):
        mu, r, kappa = 1 / arb(sigma), arb(rate), arb(epsilon).exp()
        if backward:
            if 1 / kappa <= 1 - r:
                return arb(0)
            x = ((1 / kappa - (1 - r)) / r).log() / mu + mu / 2
            return _normal_cdf(x) - kappa * ((1 - r) * _normal_cdf(x) + r * _normal_cdf(x - mu))
        if kappa <= 1 - r:
            return 1 - kappa
        x = ((kappa - (1 - r)) / r).log() / mu + mu / 2
        return (1 - r) * _normal_cdf(-x) + r * _normal_cdf(mu - x) - kappa * _normal_cdf(-x)


def replaced_gaussian_delta(sigma: float | arb, rate: float, epsilon: float) -> arb:
    """Return delta of one step of the Gaussian mechanism on a Poisson sample, a record replaced by an opposite one: the
    loss rises with the output z, through a quadratic equation in e^(mu z).
    """
    with ctx.workprec(900):
        mu, q, kappa = 1 / arb(sigma), arb(rate), arb(epsilon).exp()
        constant = (kappa - 1) * (1 - q) / q * (mu * mu / 2).exp()
        z = ((constant + (constant * constant + 4 * kappa).sqrt()) / 2).log() / mu
        central, p, other = (_normal_cdf(shift - z) for shift in (arb(0), mu, -mu))
        return ((1 - q) * central + q * p) - kappa * ((1 - q) * central + q * other)


def sampled_gaussian_renyi(sigma: float, rate: float, order: int) -> arb:
    """Return the Renyi divergence by the binomial formula at integer orders (Mironov, Talwar, Zhang 2019,
    Section 3.3).
    """
    with ctx.workprec(300):
        r, v = arb(rate), 1 / arb(sigma) ** 2
        total = arb(0)
        for i in range(order + 1):
            total += comb(order, i) * (1 - r) ** (order - i) * r**i * (i * (i - 1) * v / 2).exp()
        return total.log() / (order - 1)


def responses_delta_by_outcomes(eps0: list[float], epsilon: float) -> arb:
    """Return delta of randomized responses composed: (P - exp(epsilon) Q)_+ over all 2^n outcomes."""
    with ctx.workprec(200):
        kappa, outcomes = arb(epsilon).exp(), [(arb(1), arb(1))]
        for e in eps0:
            p = 1 / (1 + (-arb(e)).exp())
            outcomes = [pair for a, b in outcomes for pair in ((a * p, b * (1 - p)), (a * (1 - p), b * p))]
        return sum(((a - kappa * b).max(arb(0)) for a, b in outcomes), arb(0))
