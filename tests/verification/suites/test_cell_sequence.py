"""The sequence of a job's cells against the list that plain loops make."""

import random
from itertools import chain, product

import pytest

from pldcheck.verification.suites import NAMES, SUITES, CellSequence, grid_points
from pldcheck.verification.suites.cell_sequence import CellPart
from pldcheck.verification.suites.grid_overlaps import NewPoints
from pldcheck.verification.suites.grid_points import LISTED, GridPoints


def listed_points(points):
    """Return the points of a grid by loops over its blocks."""
    names = [name for group, _ in points.blocks for name in group]
    for rows in product(*(rows for _, rows in points.blocks)):
        values = dict(zip(names, chain.from_iterable(rows), strict=True))
        yield {name: values[name] for name in points.names}


def listed_new_points(grids):
    """Return, for each grid, the points that no earlier grid has."""
    seen = set()
    for grid in grids:
        new = [point for point in listed_points(grid) if frozenset(point.items()) not in seen]
        seen |= {frozenset(point.items()) for point in new}
        yield new


def random_grid(draw, values, names=("a", "b", "c", "d")):
    """Return a grid over the names in which some are zipped, with values that grids share."""
    order = draw.sample(names, len(names))
    blocks, rest = [], list(order)
    while rest:
        group = [rest.pop(0) for _ in range(min(draw.choice((1, 1, 2, 3)), len(rest)))]
        rows = list(product(*([draw.randrange(values) for _ in range(draw.randint(1, 3))] for _ in group)))
        rows = draw.sample(rows, min(len(rows), draw.randint(1, 5)))
        blocks.append((tuple(group), tuple(dict.fromkeys(rows))))
    return GridPoints(tuple(draw.sample(order, len(order))), tuple(blocks))


def check(grids):
    """Compare the new points of grids with those of the plain loops, from every place."""
    for place, new in enumerate(listed_new_points(grids)):
        points = NewPoints(grids[place], tuple(grids[:place]))
        assert len(points) == len(new)
        assert [points[number] for number in range(len(new))] == new
        starts = {0, len(new) // 3, max(len(new) - 1, 0), len(new)}
        assert all(list(points.start_at(start)) == new[start:] for start in starts)
        assert [list(point) for point in points.start_at(0)] == [list(point) for point in new]


def test_new_points_of_overlapping_grids_are_those_of_plain_loops():
    draw = random.Random(20261127)
    for _ in range(60):
        check([random_grid(draw, values=3) for _ in range(draw.randint(1, 4))])


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(40))
def test_new_points_of_many_grids_are_those_of_plain_loops(seed):
    draw = random.Random(seed)
    for _ in range(50):
        check([random_grid(draw, values=draw.randint(2, 6)) for _ in range(draw.randint(1, 6))])


@pytest.mark.nightly
def test_long_axes_are_not_listed(monkeypatch):
    monkeypatch.setattr(grid_points, "LISTED", 2)
    draw = random.Random(5)
    for _ in range(60):
        check([random_grid(draw, values=3) for _ in range(draw.randint(1, 3))])


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("quick", [False, True])
def test_cells_of_suites_are_found_by_index(name, quick):
    cells = SUITES[name].cells(quick)
    everything = list(cells)
    assert len(cells) == len(everything) == sum(cells.counts.values())
    assert [cells[index] for index in range(len(cells))] == everything
    middle = len(cells) // 2
    assert list(cells.between(middle, middle + 9)) == [*enumerate(everything)][middle : middle + 9]


@pytest.mark.nightly
def test_a_large_product_is_indexed_without_a_list():
    blocks = tuple(((name,), tuple((value,) for value in range(100))) for name in "abcd")
    points = NewPoints(
        GridPoints(tuple("abcd"), blocks), (GridPoints(tuple("abcd"), (*blocks[:3], (("d",), ((7,),)))),)
    )
    cells = CellSequence((CellPart(None, "fake", "epsilon", points, None, False),))
    assert len(cells) == 99 * 10**6 > LISTED
    # 99 of 100 values of d are new, of which the first seven are 0 to 6 and the next one is 8.
    a, b, c = 42, 7, 99
    place = ((100 * a + b) * 100 + c) * 99
    assert [cells[place + step].params["d"] for step in (0, 6, 7, 98)] == [0, 6, 8, 99]
    assert cells[place + 7].params == {"a": a, "b": b, "c": c, "d": 8}
    assert [index for index, _ in cells.between(10**7 - 1, 10**7 + 1)] == [10**7 - 1, 10**7]
    with pytest.raises(IndexError):
        cells[99 * 10**6]
