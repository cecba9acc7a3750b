"""Distributed gradient descent at speed: clients, the channel between, and servers, each a kernel of its own.

The message-by-message twin is :mod:`pldcheck.study.simulate`; both draw the same numbers.  Names there.
"""

import math
from typing import NamedTuple

import numpy as np

from ._jit import kernel
from .counter_random import below, normals, stream, uniform

# Roles of streams.
CLIENT = 0
CHANNEL = 1
SERVER = 2
DUMMY = 3
# Draws of a client, by their numbers: its coin, its slot, its record, and from there on its answer.
COIN = 0
PLACE = 1
RECORD = 2
ANSWER = 16
# Losses.
LOGISTIC = 0
DISTANCE = 1
LINEAR = 2
# Where clients stand.
FIXED = 0
SLIDING = 1
ORDERED = 2
SHUFFLED = 3
SWAPPED = 4
REPLACED = 5
# Randomizers.
GAUSSIAN = 0
TABLE = 1


class Channel(NamedTuple):
    """Who stands where: the ``kind`` of placement, as above, and what it needs.

    ``sizes``: of the slots of ORDERED clients; ``window`` and ``check_in_prob``: of those that choose their slot.
    """

    kind: int
    window: int
    check_in_prob: float
    sizes: np.ndarray
    clients: int


class Descent(NamedTuple):
    """What the server does: ask all clients of a slot and average, or ask one; move after each ``batch`` of slots.

    ``dummies``: whether an empty slot is answered by the reference law; ``rates``: of the slots; ``radius``: of the
    ball of models.
    """

    averages: bool
    dummies: bool
    batch: int
    rates: np.ndarray
    radius: float


class Records(NamedTuple):
    """The population: records with ``features`` and ``labels``, and the ``loss`` of each, as above.

    ``cumulative``: probabilities of records; ``holds``: the record of each client, empty where records are drawn.
    """

    loss: int
    features: np.ndarray
    labels: np.ndarray
    cumulative: np.ndarray
    holds: np.ndarray


class Randomizer(NamedTuple):
    """How gradients, ``clip`` long at most, are randomized: of the ``kind``, GAUSSIAN or TABLE, as above.

    ``deviation``: of Gaussian noise; ``table``: cumulative probabilities of the outputs ``values``, one row an input;
    ``reference``: those of the output that stands for nobody.
    """

    kind: int
    clip: float
    deviation: float
    table: np.ndarray
    values: np.ndarray
    reference: np.ndarray


class Outcomes(NamedTuple):
    """Arrays with one row a run.

    ``last``, ``mean``: the last of the models and the average of all released; ``came``: clients that checked in;
    ``used``: that were asked; ``empty``: slots where nobody was; ``squares``: of the loads of the slots, summed.
    """

    last: np.ndarray
    mean: np.ndarray
    came: np.ndarray
    used: np.ndarray
    empty: np.ndarray
    squares: np.ndarray


# ------------------------------------------------------------------ clients
@kernel
def gradient(loss, model, feature, label, out):
    """Of the loss of one record at a model."""
    if loss == LOGISTIC:
        score = 0.0
        for k in range(model.size):
            score += feature[k] * model[k]
        factor = -label / (1.0 + math.exp(label * score))
        for k in range(model.size):
            out[k] = factor * feature[k]
    elif loss == DISTANCE:
        square = 0.0
        for k in range(model.size):
            out[k] = model[k] - feature[k]
            square += out[k] * out[k]
        if square > 0.0:
            length = math.sqrt(square)
            for k in range(model.size):
                out[k] /= length
    else:
        for k in range(model.size):
            out[k] = -feature[k]


@kernel
def clipped(vector, clip):
    """The vector, in place, scaled down to length ``clip`` where it is longer."""
    square = 0.0
    for k in range(vector.size):
        square += vector[k] * vector[k]
    if square > clip * clip:
        factor = clip / math.sqrt(square)
        for k in range(vector.size):
            vector[k] *= factor


@kernel
def noisy(vector, deviation, here, work):
    """Gaussian noise added in place."""
    normals(here, ANSWER, work)
    for k in range(vector.size):
        vector[k] += deviation * work[k]


@kernel
def tabled(vector, clip, table, values, here):
    """One coordinate, rounded at random to a row of the table, answered by a draw from that row; in place."""
    size = vector.size
    k = below(here, ANSWER, size)
    place = 0.5 * (vector[k] / clip + 1.0) * (table.shape[0] - 1)
    row = min(max(int(math.floor(place)), 0), table.shape[0] - 2)
    if uniform(here, ANSWER + 1) < place - row:
        row += 1
    vector[:] = 0.0
    vector[k] = size * clip * values[drawn(table[row], uniform(here, ANSWER + 2))]


@kernel
def drawn(cumulative, u):
    """Return the first entry that ``u`` is below."""
    low, high = 0, cumulative.size - 1
    while low < high:
        middle = (low + high) // 2
        if u < cumulative[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def answer(here, j, records, model, randomizer, out, work):
    """What client j sends when it is asked at a model."""
    record = records.holds[j] if records.holds.size > 0 else drawn(records.cumulative, uniform(here, RECORD))
    gradient(records.loss, model, records.features[record], records.labels[record], out)
    clipped(out, randomizer.clip)
    if randomizer.kind == GAUSSIAN:
        noisy(out, randomizer.deviation, here, work)
    else:
        tabled(out, randomizer.clip, randomizer.table, randomizer.values, here)


# ------------------------------------------------------------------ the channel
@kernel
def stand(seed, run, channel, released, slot_of):
    """Return the released slot in which each client stands, or -1; returns how many checked in."""
    kind, window, check_in_prob, sizes = channel.kind, channel.window, channel.check_in_prob, channel.sizes
    clients = slot_of.size
    came = clients
    if kind <= SLIDING:  # into one of ``window`` slots; where windows slide, client j's starts at j - window + 1
        came = 0
        for j in range(clients):
            slot_of[j] = -1
            here = stream(seed, run, CLIENT, j)
            if uniform(here, COIN) < check_in_prob:
                came += 1
                slot = below(here, PLACE, window) + (j - window + 1 if kind == SLIDING else 0)
                if 0 <= slot < released:
                    slot_of[j] = slot
    elif kind == ORDERED:
        j = 0
        for slot in range(sizes.size):
            for _ in range(sizes[slot]):
                slot_of[j] = slot
                j += 1
    else:
        for j in range(clients):
            slot_of[j] = j
        if kind == SHUFFLED:
            here = stream(seed, run, CHANNEL, 0)
            for j in range(clients - 1, 0, -1):
                k = below(here, j, j + 1)
                slot_of[j], slot_of[k] = slot_of[k], slot_of[j]
        elif kind == SWAPPED:
            k = below(stream(seed, run, CHANNEL, 0), 0, clients)
            slot_of[0], slot_of[k] = slot_of[k], slot_of[0]
        else:  # REPLACED: client 0 has the record, client 1 + i is known to stand in slot i
            here = stream(seed, run, CLIENT, 0)
            for j in range(clients):
                slot_of[j] = j - 1
            if uniform(here, COIN) < check_in_prob:
                slot_of[0] = below(here, PLACE, released)
                slot_of[1 + slot_of[0]] = -1
            else:
                came -= 1
    return came


@kernel
def queue(slot_of, starts, members):
    """Clients by their slots: those of slot i are members[starts[i]:starts[i+1]]."""
    starts[:] = 0
    for j in range(slot_of.size):
        if slot_of[j] >= 0:
            starts[slot_of[j] + 1] += 1
    for i in range(starts.size - 1):
        starts[i + 1] += starts[i]
    for j in range(slot_of.size - 1, -1, -1):  # filled from behind, which leaves ``starts`` one slot too far
        if slot_of[j] >= 0:
            starts[slot_of[j] + 1] -= 1
            members[starts[slot_of[j] + 1]] = j
    # starts[i + 1] is now where slot i begins.
    total = 0
    for j in range(slot_of.size):
        total += slot_of[j] >= 0
    for i in range(starts.size - 1):
        starts[i] = starts[i + 1]
    starts[starts.size - 1] = total


# ------------------------------------------------------------------ servers
@kernel
def move(model, step, rate, radius):
    """A step downhill, and back to the ball of models."""
    square = 0.0
    for k in range(model.size):
        model[k] -= rate * step[k]
        square += model[k] * model[k]
    if square > radius * radius:
        factor = radius / math.sqrt(square)
        for k in range(model.size):
            model[k] *= factor


@kernel
def simulate(seed, first, channel, descent, records, randomizer, outcomes):
    """Fills the rows of ``outcomes`` with runs ``first``, ``first + 1``, ...: a row each."""
    slots, size = descent.rates.size, records.features.shape[1]
    last, mean = outcomes.last, outcomes.mean
    slot_of, members = np.empty(channel.clients, np.int64), np.empty(channel.clients, np.int64)
    starts = np.empty(slots + 1, np.int64)
    model, total, sent, work = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    for row in range(last.shape[0]):
        run = first + row
        outcomes.came[row] = stand(seed, run, channel, slots, slot_of)
        queue(slot_of, starts, members)
        model[:] = 0.0
        total[:] = 0.0
        mean[row] = 0.0
        server = stream(seed, run, SERVER, 0)
        gathered = 0
        for slot in range(slots):
            arrivals = starts[slot + 1] - starts[slot]
            outcomes.squares[row] += arrivals * arrivals
            asked = min(arrivals, 1)
            begin = starts[slot]
            if descent.averages:
                asked = arrivals
            elif arrivals > 1:
                begin += below(server, slot, arrivals)
            if arrivals == 0:
                outcomes.empty[row] += 1
                if descent.dummies:
                    here = stream(seed, run, DUMMY, slot)
                    sent[:] = 0.0
                    if randomizer.kind == GAUSSIAN:
                        noisy(sent, randomizer.deviation, here, work)
                    else:
                        output = drawn(randomizer.reference, uniform(here, ANSWER + 2))
                        sent[below(here, ANSWER, size)] = size * randomizer.clip * randomizer.values[output]
                    total += sent
            for place in range(begin, begin + asked):
                j = members[place]
                here = stream(seed, run, CLIENT, j)
                answer(here, j, records, model, randomizer, sent, work)
                for k in range(size):
                    total[k] += sent[k] / asked
            outcomes.used[row] += asked
            gathered += 1
            if gathered == descent.batch:
                move(model, total, descent.rates[slot] / descent.batch, descent.radius)
                total[:] = 0.0
                gathered = 0
            for k in range(size):
                mean[row, k] += (model[k] - mean[row, k]) / (slot + 1)
        last[row] = model
