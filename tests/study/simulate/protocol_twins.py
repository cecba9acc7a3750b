"""Clients that answer in slots, by enumeration of every coin, slot and choice, in exact fractions.

The law of a run is a dictionary: for each client the slot in which it answers (from 1, 0 for none) and, where slots are
averaged, with how many others.
"""

from fractions import Fraction
from itertools import permutations, product


def add(law, outcome, chance):
    law[outcome] = law.get(outcome, Fraction(0)) + chance


def one_of_each(places, chance, slots, law):
    """Add the outcomes of a server that asks one client of each slot, all choices alike."""
    lines = [[j for j, place in enumerate(places) if place == slot] for slot in range(1, slots + 1)]
    for choice in product(*(line or [None] for line in lines)):
        answers = tuple(place if j in choice else 0 for j, place in enumerate(places))
        weight = chance
        for line in lines:
            weight /= max(len(line), 1)
        add(law, answers, weight)


def check_ins(clients, slots, p0):
    """Yield (places, probability) of every outcome of coins and slots."""
    each = [(0, 1 - p0), *((slot, p0 / slots) for slot in range(1, slots + 1))]
    for outcome in product(each, repeat=clients):
        chance = Fraction(1)
        for _, part in outcome:
            chance *= part
        if chance:
            yield tuple(slot for slot, _ in outcome), chance


def check_in(clients, slots, p0):
    law = {}
    for places, chance in check_ins(clients, slots, p0):
        one_of_each(places, chance, slots, law)
    return law


def average_law(clients, slots):
    """Return the law of the slot and the load of the slot for each client."""
    law = {}
    for places, chance in check_ins(clients, slots, Fraction(1)):
        add(law, tuple((place, places.count(place)) for place in places), chance)
    return law


def sliding_window(clients, window):
    """Return the law of slots window, ..., clients, which are released and numbered from 1."""
    law = {}
    for steps in product(range(window), repeat=clients):
        places = [j + 1 + step - (window - 1) for j, step in enumerate(steps)]
        slots_released = tuple(place if 1 <= place <= clients - window + 1 else 0 for place in places)
        one_of_each(slots_released, Fraction(1, window**clients), clients - window + 1, law)
    return law


def hidden_slot(slots, weight):
    """Return the law where client 0 is the user and client i stands in slot i."""
    law = {(0, *range(1, slots + 1)): 1 - weight} if weight < 1 else {}
    for slot in range(1, slots + 1):
        others = tuple(0 if i == slot else i for i in range(1, slots + 1))
        add(law, (slot, *others), weight / slots)
    return law


def shuffle(clients):
    orders = list(permutations(range(1, clients + 1)))
    return {order: Fraction(1, len(orders)) for order in orders}


def swap(clients):
    law = {}
    for k in range(clients):
        order = list(range(1, clients + 1))
        order[0], order[k] = order[k], order[0]
        add(law, tuple(order), Fraction(1, clients))
    return law


def bins(sizes):
    slots = [slot for slot, size in enumerate(sizes, 1) for _ in range(size)]
    return {tuple((slot, slots.count(slot)) for slot in slots): Fraction(1)}
