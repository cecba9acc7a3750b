"""The recursion over multisets of outputs for slots that others may occupy unseen, and for slots known to be empty.

A state is a pair of multisets: the outputs of the slots in question, of eleven kinds, and those of the empty slots, of
five.  Multisets of t outputs v_1 <= ... <= v_t are ranked by the sum of C(v_i + i - 1, i), so that those without the
last kinds come first.
"""

import numpy as np

from ._jit import kernel


@kernel
def _rank_with(outputs, count, extra, binomials):
    """Return the rank of a sorted multiset of ``count`` outputs with one more."""
    rank, place, is_placed = 0, 0, False
    for i in range(count):
        if not is_placed and outputs[i] >= extra:
            rank += binomials[extra + place, place + 1]
            place += 1
            is_placed = True
        rank += binomials[outputs[i] + place, place + 1]
        place += 1
    if not is_placed:
        rank += binomials[extra + place, place + 1]
    return rank


@kernel
def _go_to_next(outputs, count):
    """Change a sorted multiset into the one of the next rank."""
    if count == 0:
        return
    i = 0
    while i < count - 1 and outputs[i] == outputs[i + 1]:
        i += 1
    outputs[i] += 1
    for j in range(i):
        outputs[j] = 0


@kernel
def write_successors(count, binomials, successors):
    """Write the ranks of all multisets of ``count`` outputs with one more output, of each kind in turn."""
    outputs = np.zeros(count + 1, np.int64)
    for rank in range(successors.shape[0]):
        for kind in range(successors.shape[1]):
            successors[rank, kind] = _rank_with(outputs, count, kind, binomials)
        _go_to_next(outputs, count)


@kernel
def write_empty_sums(count, likelihoods, gains, products, sums, sizes):
    """Write what each multiset of ``count`` outputs of empty slots contributes to the payoff.

    ``products`` are of the dummy's likelihoods, ``sums`` over slots of the gain times the other slots' likelihoods, and
    ``sizes`` those of the terms' sizes.
    """
    outputs = np.zeros(count + 1, np.int64)
    for rank in range(products.size):
        product, total, size = 1.0, 0.0, 0.0
        for i in range(count):
            kind = outputs[i]
            total = total * likelihoods[kind] + product * gains[kind]
            size = size * likelihoods[kind] + product * abs(gains[kind])
            product *= likelihoods[kind]
        products[rank], sums[rank], sizes[rank] = product, total, size
        _go_to_next(outputs, count)


@kernel
def _write_polynomials(outputs, count, dummy, other, gains, plain, with_gain, with_size):
    """Write what a multiset of outputs of slots in question contributes, by the number of them that others occupy.

    ``plain`` are sums of products of likelihoods, ``with_gain`` of the gain of one slot times the likelihoods of the
    other slots, and ``with_size`` those of sizes; they have ``count`` + 2 places.
    """
    for k in range(count + 2):
        plain[k] = with_gain[k] = with_size[k] = 0.0
    plain[0] = 1.0
    for i in range(count):
        kind = outputs[i]
        g, b, gain = dummy[kind], other[kind], gains[kind]
        size = abs(gain)
        for k in range(i + 1, 0, -1):
            with_gain[k] = with_gain[k] * g + with_gain[k - 1] * b + plain[k] * gain
            with_size[k] = with_size[k] * g + with_size[k - 1] * b + plain[k] * size
            plain[k] = plain[k] * g + plain[k - 1] * b
        with_gain[0] = with_gain[0] * g + plain[0] * gain
        with_size[0] = with_size[0] * g + plain[0] * size
        plain[0] *= g


@kernel
def write_payoffs(count, dummy, other, gains, kappa_1, absent, used, beside, products, sums, sizes, doubt, values):
    """Write the payoffs of all pairs of multisets, moved by ``doubt`` times the sizes of their terms, but at least 0.

    ``dummy``, ``other`` and ``gains`` are those of an output of a slot in question; ``absent``, ``used`` and ``beside``
    are the coefficients of the record that is nowhere, in a slot in question, and in an empty one, by the number of
    other slots that are occupied; ``products``, ``sums`` and ``sizes`` are those of the empty slots.
    """
    outputs = np.zeros(count + 1, np.int64)
    plain, with_gain, with_size = np.zeros(count + 2), np.zeros(count + 2), np.zeros(count + 2)
    for rank in range(values.shape[0]):
        _write_polynomials(outputs, count, dummy, other, gains, plain, with_gain, with_size)
        nowhere, here, here_size, outside = 0.0, 0.0, 0.0, 0.0
        for k in range(count + 1):
            nowhere += absent[k] * plain[k]
            outside += beside[k] * plain[k]
        for k in range(count):
            here += used[k] * with_gain[k]
            here_size += used[k] * with_size[k]
        for j in range(values.shape[1]):
            payoff = products[j] * (here - kappa_1 * nowhere) + sums[j] * outside
            payoff += doubt * (products[j] * (here_size + kappa_1 * nowhere) + sizes[j] * outside)
            values[rank, j] = payoff if payoff > 0.0 else 0.0
        _go_to_next(outputs, count)


@kernel
def _best_law(x, o, e, eo, c, co, g, go, ge, geo, gc, gco):
    """Return the best expectation under the fourteen laws, of values after the eleven outputs.

    The order of the outputs is that of ``OUTPUTS``, and of the laws that of ``LAWS``, in
    :mod:`pldcheck.hidden_slot.population.occupant_outputs`.
    """
    by_two = max(max(e + gco, eo + gc), max(c + geo, co + ge))
    by_three = max(max(o + e + gc, o + c + ge), max(e + c + go, max(e + co + g, eo + c + g)))
    by_four = o + e + c + g
    by_twice_two = max(e + co + geo + gc, eo + c + ge + gco)
    by_twice_three = max(2.0 * e + co + go + gc, eo + 2.0 * c + go + ge)
    best = max(max(by_two / (x + 1.0), by_three / (x + 2.0)), by_four / (x + 3.0))
    return max(best, max(by_twice_two / (2.0 * x + 2.0), by_twice_three / (2.0 * x + 3.0)))


@kernel
def add_step_in_question(after, successors, x, share, values):
    """Add ``share`` of the expectation of ``after`` under the best law of a slot in question."""
    for i in range(values.shape[0]):
        at = successors[i]
        for j in range(values.shape[1]):
            values[i, j] += share * _best_law(
                x, after[at[0], j], after[at[1], j], after[at[2], j], after[at[3], j], after[at[4], j], after[at[5], j],
                after[at[6], j], after[at[7], j], after[at[8], j], after[at[9], j], after[at[10], j],
            )  # fmt: skip


@kernel
def add_empty_step(after, successors, x, share, values):
    """Add ``share`` of the expectation of ``after`` under the best of the laws BE, CF and ACE of an empty slot."""
    two, three = 1.0 / (x + 1.0), 1.0 / (x + 2.0)
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            at = successors[j]
            a, b, c = after[i, at[0]], after[i, at[1]], after[i, at[2]]
            e, f = after[i, at[3]], after[i, at[4]]
            values[i, j] += share * max(two * max(b + e, c + f), three * (a + c + e))
