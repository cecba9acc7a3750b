"""The methods of the engine by name: what is switched off for each, and what takes its place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from importlib import import_module
from math import inf
from typing import Any

from pldcheck.core.directed import Ends
from pldcheck.pld.curve_candidates import Candidate

Function = Callable[..., Any]
# Ends of a delta that bound nothing.
UNKNOWN = Ends(0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True)
class Off:
    """A function, "module:name" or "module:class.name", and what takes its place.

    ``other`` costs nothing, and is compared with what the function returns to say whether an answer uses the method;
    where ``always``, every call uses it.
    """

    target: str
    other: Function
    always: bool = False

    @property
    def module(self) -> str:
        return f"pldcheck.{self.target.partition(':')[0]}"

    @property
    def path(self) -> list[str]:
        return self.target.partition(":")[2].split(".")

    def places(self) -> Iterator[tuple[Any, str]]:
        """Yield every object that has the function, with its name there: modules that import it have it, too."""
        *owners, name = self.path
        owner: Any = import_module(self.module)
        for part in owners:
            owner = getattr(owner, part)
        yield owner, name
        if not owners:
            original = getattr(owner, name)
            for module in [one for key, one in sys.modules.items() if key.startswith("pldcheck.")]:
                if module is not owner and vars(module).get(name) is original:
                    yield module, name

    def replace(self, make: Callable[[Function], Function]) -> None:
        """Put what ``make`` returns of the function in its place, everywhere."""
        places = list(self.places())
        owner, name = places[0]
        new = make(getattr(owner, name))
        for owner, name in places:
            setattr(owner, name, new)


@dataclass(frozen=True)
class Method:
    """A method, the files that it alone uses, and how it is switched off."""

    name: str
    files: tuple[str, ...]
    off: tuple[Off, ...]

    def switch_off(self) -> None:
        for one in self.off:
            one.replace(partial(_other, one))

    def count(self, note: Callable[[str], None]) -> None:
        """Have ``note`` called with the name whenever the method does something."""
        for one in self.off:
            one.replace(partial(_counted, one, partial(note, self.name)))


def _other(one: Off, original: Function) -> Function:
    """Return what takes the place of a function."""
    return one.other


def _counted(one: Off, note: Callable[[], None], original: Function) -> Function:
    """Return a function that notes when the method does something, and returns what it returns."""

    @wraps(original)
    def counted(*arguments: Any, **named: Any) -> Any:
        result = original(*arguments, **named)
        if one.always or result != one.other(*arguments, **named):
            note()
        return result

    return counted


def gives(value: Any) -> Function:
    """Return a function of anything with one value."""
    return lambda *arguments, **named: value


def method(name: str, files: str, *off: Off) -> Method:
    """Return a method; ``files`` are separated by spaces and lie below pldcheck."""
    return Method(name, tuple(files.split()), off)


def _unknown(name: str) -> Function:
    """Return a function of anything with a candidate that bounds nothing."""
    return gives(Candidate(name, gives(UNKNOWN), gives((0.0, inf, UNKNOWN))))


def _response_alone(n: int, eps0: float) -> Candidate:
    from pldcheck.shuffling import worst_messages

    return worst_messages.others_alike(n, eps0)[0]


METHODS = (
    method(
        "doubled_sums",
        "hidden_slot/known/doubled_sums.py hidden_slot/known/uneven_grids.py hidden_slot/known/uneven_sums.py "
        "kernels/uneven_cells.py",
        Off("hidden_slot.known.doubled_sums:spans_much", gives(False)),
    ),
    method(
        "one_or_two_steps",
        "hidden_slot/known/one_or_two_steps.py",
        Off("hidden_slot.known.pair_curve:few_steps", gives(False)),
    ),
    method("enumerated_sums", "pld/enumerated_sums.py", Off("pld.enumerated_sums:enumerated_sum", gives(None))),
    method("paired_sum", "pld/paired_sum.py", Off("pld.paired_sum:paired_sum", gives(None))),
    method("folded_steps", "pld/folded_steps.py", Off("pld.folded_steps:two_halves", gives(None))),
    method(
        "folded and paired sums",
        "pld/folded_steps.py pld/paired_sum.py kernels/loss_folding.py",
        Off("pld.folded_steps:two_halves", gives(None)),
        Off("pld.paired_sum:paired_sum", gives(None)),
    ),
    method(
        "largest_loss",
        "pld/largest_loss.py",
        Off("pld.largest_loss:certain_delta", gives(0.0)),
        Off("pld.largest_loss:certain_epsilon", gives((0.0, inf))),
    ),
    method(
        "one_large_loss",
        "pld/one_large_loss.py",
        Off("pld.one_large_loss:delta", gives(0.0)),
        Off("pld.one_large_loss:epsilon", lambda total, target, least, most: least),
    ),
    method(
        "square_steps",
        "hidden_slot/approximate/square_steps.py",
        Off("hidden_slot.approximate.approximate_slot:square_upper", gives(1.0)),
    ),
    method(
        "near_pure",
        "hidden_slot/approximate/near_pure.py",
        Off("hidden_slot.approximate.near_pure:delta_upper", gives(1.0)),
        Off(
            "hidden_slot.approximate.near_pure:epsilon_upper",
            lambda slot, delta0, delta, width: slot.cap,
        ),
    ),
    method(
        "zero_out_exact",
        "hidden_slot/approximate/zero_out_exact.py",
        Off("hidden_slot.approximate.zero_out_exact:window", gives(None)),
    ),
    method(
        "adaptive policies in shuffles", "", Off("shuffling.worst_messages:_hidden_slot", _response_alone, always=True)
    ),
    method(
        "split_cover",
        "shuffling/split_cover.py",
        Off("shuffling.split_cover:candidate", _unknown("nothing"), always=True),
    ),
    method(
        "noise_client_fewer",
        "shuffling/noise_client_fewer.py shuffling/blanket_excess.py",
        Off("shuffling.noise_client_fewer:NoiseBound.delta", gives(UNKNOWN)),
        Off("shuffling.noise_client_fewer:NoiseBound.epsilon", gives((0.0, inf, UNKNOWN))),
    ),
    method(
        "known_client_fewer",
        "shuffling/known_client_fewer.py shuffling/known_slot_bounds.py",
        Off("shuffling.known_client_fewer:KnownBound.delta", gives(UNKNOWN)),
        Off("shuffling.known_client_fewer:KnownBound.epsilon", gives((0.0, inf, UNKNOWN))),
    ),
    method(
        "one_client_fewer",
        "shuffling/one_client_fewer.py kernels/one_client_fewer_sum.py",
        Off("shuffling.worst_messages:one_client_fewer_candidates", gives([])),
    ),
    method(
        "subset_selection",
        "shuffling/subset_selection.py",
        Off("shuffling.subset_selection:delta_ends", gives(UNKNOWN)),
    ),
    method(
        "ball on uneven nodes",
        "hidden_slot/replaced/ball_bounds.py hidden_slot/replaced/ball_fixed_value.py "
        "hidden_slot/replaced/ball_jump_value.py hidden_slot/replaced/ball_node_plan.py "
        "hidden_slot/replaced/ball_smooth_bound.py hidden_slot/replaced/ball_uneven_value.py",
        Off("hidden_slot.replaced.replaced_answers:_nodes", gives(None)),
    ),
    method(
        "ball_smooth_bound",
        "hidden_slot/replaced/ball_smooth_bound.py",
        Off("hidden_slot.replaced.ball_smooth_bound:value_above", gives(inf)),
    ),
    method(
        "ball_fixed_value",
        "hidden_slot/replaced/ball_fixed_value.py",
        Off("hidden_slot.replaced.ball_fixed_value:value_below", gives(0.0)),
    ),
    method(
        "ball_jump_value",
        "hidden_slot/replaced/ball_jump_value.py",
        Off("hidden_slot.replaced.ball_jump_value:value_below", gives(0.0)),
    ),
    method("ball_one_step joined", "", Off("hidden_slot.replaced.ball_bounds:BallBounds._joined", gives(inf))),
    method(
        "blocks of replaced records",
        "hidden_slot/replaced/ball_blocks.py hidden_slot/replaced/two_records.py",
        Off("hidden_slot.replaced.replaced_answers:_worth", gives(False)),
    ),
    method("two_records of few", "", Off("hidden_slot.replaced.replaced_answers:_are_few", gives(False))),
    method(
        "reference_blocks",
        "hidden_slot/known/reference_blocks.py hidden_slot/known/laplace_references.py",
        Off("hidden_slot.known.bounded_ratio_slot:have_references", gives(False)),
    ),
    method(
        "adaptive_references",
        "hidden_slot/known/adaptive_references.py",
        Off("hidden_slot.known.adaptive_references:are_few", gives(False)),
    ),
    method(
        "few_slot_intervals",
        "hidden_slot/population/few_slot_intervals.py",
        Off("hidden_slot.population.few_slot_intervals:epsilon", lambda population, delta, rough, width: rough),
        Off("hidden_slot.population.few_slot_intervals:delta", lambda population, epsilon, rough, width: rough),
    ),
    method(
        "as_many_clients",
        "hidden_slot/population/as_many_clients.py",
        Off("hidden_slot.population.as_many_clients:is_feasible", gives(False)),
    ),
    method(
        "revealed_count",
        "hidden_slot/population/revealed_count.py",
        Off("hidden_slot.population.revealed_count:delta_upper", gives(None)),
    ),
    method(
        "score_test",
        "hidden_slot/known/score_test.py",
        Off("hidden_slot.known.score_test:tighten", lambda interval, test, target: interval),
    ),
    method(
        "closed form of allocations",
        "",
        Off("hidden_slot.known.allocation_closed_form:tighten", lambda interval, bounds, target: interval),
    ),
    method(
        "closed curve of the worst slot",
        "hidden_slot/worst/exact_curve.py",
        Off("hidden_slot.worst.exact_curve:closed_curve", gives(None)),
    ),
    method(
        "policies of the worst slot",
        "hidden_slot/worst/threshold_policies.py",
        Off(
            "hidden_slot.worst.worst_intervals:_raise_by_policy",
            lambda slot, delta, width, plan, low, high, lower_bound: (low, lower_bound),
        ),
    ),
    method(
        "relations between answers",
        "",
        Off("protocols.answer_relations:no_more_than_others", lambda protocol, answer, width, ask: answer),
    ),
    method("nodes in place of cells", "", Off("pld.step_totals:on_nodes", gives(None))),
)
