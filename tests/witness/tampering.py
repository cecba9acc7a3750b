"""Witness files with one value changed."""

import json
from fractions import Fraction
from math import inf

from hypothesis import strategies as st


def change(facts, path, new):
    """Return a copy with one value changed: to ``new``, or to what that makes of the old one."""
    facts = json.loads(json.dumps(facts))
    place = facts
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = new(place[path[-1]]) if callable(new) else new
    return facts


def nearby(data, old, text, least=-inf):
    """Return a drawn number like the old one: an integer, a float, or a fraction as ``text`` has it."""
    if isinstance(old, int):
        return data.draw(st.integers(max(old - 2, least), old + 2))
    factor = Fraction(data.draw(st.sampled_from([0, 1, 2, 4, 5, 6, 8]))) / 4
    shift = data.draw(st.sampled_from([0, 1, -1])) * Fraction(1, 10 ** data.draw(st.integers(2, 30)))
    number = max(Fraction(old) * factor + shift, Fraction(0))
    return float(number) if isinstance(old, float) else text(number)
