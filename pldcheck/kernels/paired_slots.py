"""Payoffs and steps where two slots share the only other client that may occupy either of them.

Columns are the multisets of the two outputs of that pair, in the order of their ranks; rows are those of the others.
"""

import numpy as np

from ._jit import kernel
from .occupant_recursion import _best_law, _go_to_next, _write_polynomials


@kernel
def write_pair_polynomials(dummy, other, gains, plain, with_gain, with_size):
    """Write, for each pair of outputs, what it contributes if none and if one of both slots is occupied by others.

    ``plain`` is the product of likelihoods, ``with_gain`` the sum over the two slots of the gain of one times the
    likelihood of the other, and ``with_size`` that of sizes.
    """
    column = 0
    for second in range(dummy.size):
        for first in range(second + 1):
            plain[0, column] = dummy[first] * dummy[second]
            plain[1, column] = dummy[first] * other[second] + other[first] * dummy[second]
            with_gain[0, column] = gains[first] * dummy[second] + dummy[first] * gains[second]
            with_gain[1, column] = gains[first] * other[second] + other[first] * gains[second]
            with_size[0, column] = abs(gains[first]) * dummy[second] + dummy[first] * abs(gains[second])
            with_size[1, column] = abs(gains[first]) * other[second] + other[first] * abs(gains[second])
            column += 1


@kernel
def write_paired_payoffs(
    count, dummy, other, gains, kappa_1, absent, used, alone, plain2, with_gain2, with_size2, doubt, values
):
    """Write the payoffs of ``count`` slots and a pair, each moved by ``doubt`` times its size, but at least 0.

    ``absent`` and ``used`` are the coefficients of the record that is nowhere and in a slot, ``alone`` that of a slot
    that no other client occupies, all by the number of slots that the others fill beside.
    """
    outputs = np.zeros(count + 1, np.int64)
    plain, with_gain, with_size = np.zeros(count + 2), np.zeros(count + 2), np.zeros(count + 2)
    for rank in range(values.shape[0]):
        _write_polynomials(outputs, count, dummy, other, gains, plain, with_gain, with_size)
        for j in range(values.shape[1]):
            payoff, size = 0.0, 0.0
            for filled in range(2):  # slots of the pair that the others fill
                nowhere, here, here_size, in_pair = 0.0, 0.0, 0.0, 0.0
                for k in range(count + 1):
                    nowhere += absent[k + filled] * plain[k]
                    in_pair += (used[k] if filled == 0 else alone[k + 1]) * plain[k]
                for k in range(count):
                    here += used[k + filled] * with_gain[k]
                    here_size += used[k + filled] * with_size[k]
                payoff += plain2[filled, j] * (here - kappa_1 * nowhere) + with_gain2[filled, j] * in_pair
                size += plain2[filled, j] * (here_size + kappa_1 * nowhere) + with_size2[filled, j] * in_pair
            payoff += doubt * size
            values[rank, j] = payoff if payoff > 0.0 else 0.0
        _go_to_next(outputs, count)


@kernel
def add_pairing_step(count, after, binomials, x, share, values):
    """Add ``share`` of the sum over ``count`` open slots of the expectation where the next slot is paired with it.

    ``after`` has a row for each multiset of the other open slots, and ``values`` is a column.
    """
    outputs, at = np.zeros(count + 1, np.int64), np.zeros(11, np.int64)
    for rank in range(values.shape[0]):
        total = 0.0
        for open_slot in range(count):
            row = 0
            for i in range(count):
                if i != open_slot:
                    place = i if i < open_slot else i - 1
                    row += binomials[outputs[i] + place, place + 1]
            own = outputs[open_slot]
            for kind in range(11):
                first, second = min(own, kind), max(own, kind)
                at[kind] = first + second * (second + 1) // 2
            total += _best_law(
                x, after[row, at[0]], after[row, at[1]], after[row, at[2]], after[row, at[3]], after[row, at[4]],
                after[row, at[5]], after[row, at[6]], after[row, at[7]], after[row, at[8]], after[row, at[9]],
                after[row, at[10]],
            )  # fmt: skip
        values[rank, 0] += share * total
        _go_to_next(outputs, count)
