"""A training run that a framework has recorded, read from a file as an event of dp_accounting.

Two kinds of files are read.  The first is the state of an accountant of Opacus as JSON, which
``json.dump(privacy_engine.accountant.state_dict(), file)`` writes: its ``history``, which may stand alone, lists the
noise multiplier, the sample rate and the number of steps in a row that had both.  The second is the text of an event,
which ``repr(event)`` prints; it is parsed, and nothing in it is executed.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import dp_accounting
from dp_accounting import ComposedDpEvent, DpEvent, GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent

from ...core.errors import PldcheckError
from ...core.parameters import PARAMETERS
from . import amplification_events

# The largest file that is read, in bytes: a history of 20,000 phases.
LARGEST = 10**6
# What a file may hold, as a refusal says it.
KINDS = (
    "the state of an accountant of Opacus as JSON, json.dump(privacy_engine.accountant.state_dict(), file), or the "
    "text of an event of dp_accounting, repr(event)"
)


def read_event(path: str | Path) -> DpEvent:
    """Return the event that a file describes.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    DpEvent
        A composition of Gaussian noise on Poisson samples for a history of Opacus; the event itself for its text.

    Raises
    ------
    PldcheckError
        If the file cannot be read, is neither of both kinds, or has a value that no such run has.

    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise PldcheckError(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > LARGEST:
        raise PldcheckError(f"{path} has {len(content):,} bytes, more than {LARGEST:,}; it must be {KINDS}")
    try:
        text = content.decode().strip()
        if text.startswith("[["):  # the history alone
            return _of_history({"history": json.loads(text)})
        return _of_history(json.loads(text)) if text.startswith(("{", "[{")) else _of_text(text)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError) as error:
        if isinstance(error, PldcheckError):
            raise
        reason = str(error).partition(" (<")[0] or type(error).__name__
        raise PldcheckError(f"{path} is no record of a run ({reason}); it must be {KINDS}") from None


def _of_history(state: Any) -> DpEvent:
    if not isinstance(state, dict) or not isinstance(state.get("history"), list) or not state["history"]:
        raise ValueError("no list named history in it, or an empty one")
    events = []
    for entry in state["history"]:
        if not isinstance(entry, list) or len(entry) != 3:
            raise ValueError("an entry of history is not [noise multiplier, sample rate, steps]")
        noise, rate, steps = entry
        noise, rate = PARAMETERS["sigma"].parse(noise), PARAMETERS["rate"].parse(rate)
        sample = PoissonSampledDpEvent(rate, GaussianDpEvent(noise))
        events.append(SelfComposedDpEvent(sample, int(PARAMETERS["steps"].parse(steps))))
    return ComposedDpEvent(events)


def _of_text(text: str) -> DpEvent:
    event = _value(ast.parse(text, mode="eval").body)
    if not isinstance(event, DpEvent):
        raise ValueError("an event begins with its name, such as SelfComposedDpEvent")
    return event


def _value(node: ast.expr) -> Any:
    """Return the value of a literal, a list, or an event called with such values."""
    if isinstance(node, ast.Call):
        kind = _event_type(node.func)
        named = {word.arg: _value(word.value) for word in node.keywords if word.arg}
        if len(named) != len(node.keywords):
            raise ValueError("only named and plain arguments are read")
        return kind(*map(_value, node.args), **named)
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(entry) for entry in node.elts]
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise ValueError("it has an expression that is no number, text or event") from None


def _event_type(node: ast.expr) -> type[DpEvent]:
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    for module in (dp_accounting, amplification_events):
        kind = getattr(module, name, None) if name.endswith("DpEvent") else None
        if isinstance(kind, type) and issubclass(kind, DpEvent):
            return kind
    raise ValueError(f"{name or 'an expression'} is no event that is known")
