"""Fast distributed gradient descent: clients, the channel between, and servers, each a kernel of its own.

Its message-by-message twin is :mod:`pldcheck.study.simulate`; both draw the same numbers and use the same names.
"""

import math
from typing import NamedTuple

import numpy as np

from ._jit import kernel
from .counter_random import below, normals, stream, uniform

# The roles of streams.
CLIENT = 0
CHANNEL = 1
SERVER = 2
DUMMY = 3
# The numbers of a client's draws: its coin, its slot, its record, and the first draw of its answer.
COIN = 0
PLACE = 1
RECORD = 2
ANSWER = 16
# The kinds of losses.
LOGISTIC = 0
DISTANCE = 1
LINEAR = 2
# The kinds of placement of clients.
FIXED = 0
SLIDING = 1
ORDERED = 2
SHUFFLED = 3
SWAPPED = 4
REPLACED = 5
# The kinds of randomizers.
GAUSSIAN = 0
TABLE = 1


class Channel(NamedTuple):
    """The placement of clients: its ``kind``, one of the constants above, and the parameters of this kind.

    ``sizes`` are those of the slots of ORDERED clients; ``window`` and ``check_in_prob`` are for clients that choose
    their slot.
    """

    kind: int
    window: int
    check_in_prob: float
    sizes: np.ndarray
    clients: int


class Descent(NamedTuple):
    """The server's algorithm: average the answers of a slot or ask one client of it, and move after ``batch`` slots.

    ``dummies`` says whether the reference law answers for an empty slot; ``rates`` are those of the slots; ``radius``
    is that of the ball of models.
    """

    averages: bool
    dummies: bool
    batch: int
    rates: np.ndarray
    radius: float


class Records(NamedTuple):
    """The population: records with ``features`` and ``labels``, and the ``loss`` of each, one of the constants above.

    ``cumulative`` are the cumulative probabilities of records; ``holds`` is the record of each client, empty where
    records are drawn.
    """

    loss: int
    features: np.ndarray
    labels: np.ndarray
    cumulative: np.ndarray
    holds: np.ndarray


class Randomizer(NamedTuple):
    """The randomizer of gradients of length at most ``clip``: its ``kind`` is GAUSSIAN or TABLE.

    ``deviation`` is that of Gaussian noise; ``table`` has cumulative probabilities of the outputs ``values``, one row
    an input; ``reference`` has those of the output for a dummy update.
    """

    kind: int
    clip: float
    deviation: float
    table: np.ndarray
    values: np.ndarray
    reference: np.ndarray


class Outcomes(NamedTuple):
    """Arrays with one row a run.

    ``last`` is the last model, ``mean`` is the average of all released models; ``came`` counts the clients that checked
    in, ``used`` those that answered, ``empty`` the slots without clients; ``squares`` is the sum of the squared
    loads.
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
    """Write the gradient of the loss of one record at a model to ``out``."""
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
def shorten(vector, clip):
    """Scale the vector down, in place, to length ``clip`` where it is longer."""
    square = 0.0
    for k in range(vector.size):
        square += vector[k] * vector[k]
    if square > clip * clip:
        factor = clip / math.sqrt(square)
        for k in range(vector.size):
            vector[k] *= factor


@kernel
def add_noise(vector, deviation, here, work):
    """Add Gaussian noise to the vector, in place."""
    normals(here, ANSWER, work)
    for k in range(vector.size):
        vector[k] += deviation * work[k]


@kernel
def answer_from_table(vector, clip, table, values, here):
    """Replace the vector, in place, by a randomized answer of one coordinate.

    The coordinate is rounded at random to a row of the table, and the answer is a draw from this row.
    """
    size = vector.size
    k = below(here, ANSWER, size)
    place = 0.5 * (vector[k] / clip + 1.0) * (table.shape[0] - 1)
    row = min(max(int(math.floor(place)), 0), table.shape[0] - 2)
    if uniform(here, ANSWER + 1) < place - row:
        row += 1
    vector[:] = 0.0
    vector[k] = size * clip * values[first_above(table[row], uniform(here, ANSWER + 2))]


@kernel
def first_above(cumulative, u):
    """Return the index of the first entry that is above ``u``."""
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
    """Write the answer of client j at a model to ``out``."""
    record = records.holds[j] if records.holds.size > 0 else first_above(records.cumulative, uniform(here, RECORD))
    gradient(records.loss, model, records.features[record], records.labels[record], out)
    shorten(out, randomizer.clip)
    if randomizer.kind == GAUSSIAN:
        add_noise(out, randomizer.deviation, here, work)
    else:
        answer_from_table(out, randomizer.clip, randomizer.table, randomizer.values, here)


# ------------------------------------------------------------------ the channel
@kernel
def stand(seed, run, channel, slot_count, slot_of):
    """Write the released slot of each client, or -1, to ``slot_of``; return the number of clients that checked in."""
    kind, window, check_in_prob, sizes = channel.kind, channel.window, channel.check_in_prob, channel.sizes
    clients = slot_of.size
    came = clients
    if kind <= SLIDING:  # the slot is one of ``window``; a sliding window of client j starts at j - window + 1
        came = 0
        for j in range(clients):
            slot_of[j] = -1
            here = stream(seed, run, CLIENT, j)
            if uniform(here, COIN) < check_in_prob:
                came += 1
                slot = below(here, PLACE, window) + (j - window + 1 if kind == SLIDING else 0)
                if 0 <= slot < slot_count:
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
                slot_of[0] = below(here, PLACE, slot_count)
                slot_of[1 + slot_of[0]] = -1
            else:
                came -= 1
    return came


@kernel
def queue(slot_of, starts, members):
    """Write the clients by their slots: those of slot i are members[starts[i]:starts[i+1]]."""
    starts[:] = 0
    for j in range(slot_of.size):
        if slot_of[j] >= 0:
            starts[slot_of[j] + 1] += 1
    for i in range(starts.size - 1):
        starts[i + 1] += starts[i]
    for j in range(slot_of.size - 1, -1, -1):  # from the last client on, which shifts ``starts`` by one slot
        if slot_of[j] >= 0:
            starts[slot_of[j] + 1] -= 1
            members[starts[slot_of[j] + 1]] = j
    # Now slot i begins at starts[i + 1].
    total = 0
    for j in range(slot_of.size):
        total += slot_of[j] >= 0
    for i in range(starts.size - 1):
        starts[i] = starts[i + 1]
    starts[starts.size - 1] = total


# ------------------------------------------------------------------ servers
@kernel
def move(model, step, rate, radius):
    """Take a step downhill and project the model on the ball of models, in place."""
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
    """Write runs ``first``, ``first + 1``, ... to the rows of ``outcomes``, one row a run."""
    slots, size = descent.rates.size, records.features.shape[1]
    last, mean = outcomes.last, outcomes.mean
    slot_of, members = np.empty(channel.clients, np.int64), np.empty(channel.clients, np.int64)
    starts = np.empty(slots + 1, np.int64)
    model, total, message, work = np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    for row in range(last.shape[0]):
        run = first + row
        outcomes.came[row] = stand(seed, run, channel, slots, slot_of)
        queue(slot_of, starts, members)
        model[:] = 0.0
        total[:] = 0.0
        mean[row] = 0.0
        server = stream(seed, run, SERVER, 0)
        slots_in_batch = 0
        for slot in range(slots):
            arrivals = starts[slot + 1] - starts[slot]
            outcomes.squares[row] += arrivals * arrivals
            queries = min(arrivals, 1)
            begin = starts[slot]
            if descent.averages:
                queries = arrivals
            elif arrivals > 1:
                begin += below(server, slot, arrivals)
            if arrivals == 0:
                outcomes.empty[row] += 1
                if descent.dummies:
                    here = stream(seed, run, DUMMY, slot)
                    message[:] = 0.0
                    if randomizer.kind == GAUSSIAN:
                        add_noise(message, randomizer.deviation, here, work)
                    else:
                        output = first_above(randomizer.reference, uniform(here, ANSWER + 2))
                        message[below(here, ANSWER, size)] = size * randomizer.clip * randomizer.values[output]
                    total += message
            for place in range(begin, begin + queries):
                j = members[place]
                here = stream(seed, run, CLIENT, j)
                answer(here, j, records, model, randomizer, message, work)
                for k in range(size):
                    total[k] += message[k] / queries
            outcomes.used[row] += queries
            slots_in_batch += 1
            if slots_in_batch == descent.batch:
                move(model, total, descent.rates[slot] / descent.batch, descent.radius)
                total[:] = 0.0
                slots_in_batch = 0
            for k in range(size):
                mean[row, k] += (model[k] - mean[row, k]) / (slot + 1)
        last[row] = model
