"""Command lines and calls drawn at random, from what ``pldcheck --help`` itself lists."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import click

from .draws import BAD, CORNER, MECHANISMS, NAMES, TEXTS, USUAL, VALUES, mechanism, randomizer, value

# Verbs and how often they are drawn.  What runs many cells, other accountants or a benchmark is not.
VERBS = {"eps": 9, "delta": 9, "renyi": 4, "bound": 3, "calibrate": 5, "waterfall": 1, "trajectory": 1, "witness": 1}
VERBS["simulate"] = 1
# Words that are the whole line.
PLAIN = (
    *("list", "list --json", "show thm-3.2", "show nothing", "doctor --nothing", "suites show paper"),
    *("witness check plain.txt", "witness check none", "job check plain.txt", "job check none"),
    *("report none", "verify none"),
)
MANNERS = (CORNER,) * 5 + (USUAL,) * 3 + (BAD,) * 2
SWITCHES = ("help", "as_json", "debug", "out")


@cache
def commands(verb: str) -> dict[str, click.Command]:
    """Return the commands of a verb by the words that call them."""
    from pldcheck.cli import cli

    context = click.Context(cli, info_name="pldcheck")
    group = cli.get_command(context, verb)
    words = verb
    if verb == "witness":
        group, words = group.get_command(context, "write"), "witness write"
    assert isinstance(group, click.Group)
    inner = click.Context(group, parent=context)
    subcommands = {name: group.get_command(inner, name) for name in group.list_commands(inner) if name != "agreement"}
    return {f"{words} {name}": command for name, command in subcommands.items() if command is not None}


def line(draw: random.Random) -> list[str]:
    """Return one command line."""
    if draw.random() < 0.01:
        return draw.choice(PLAIN).split()
    verb = draw.choices(list(VERBS), list(VERBS.values()))[0]
    names = commands(verb)
    name_of_command = draw.choice(list(names))
    # All but a few options are usual ones, or all may be corners.
    manner, share = draw.choice(MANNERS), draw.choice([0.25, 0.5, 1.0])
    words = name_of_command.split()
    for option in names[name_of_command].params:
        if option.name in SWITCHES or not isinstance(option, click.Option):
            continue
        is_needed = option.required or name_of_command.startswith("calibrate") and option.name in VALUES
        if not is_needed and draw.random() < (0.75 if manner == BAD else 0.65):
            continue
        if is_needed and manner == BAD and draw.random() < 0.1:
            continue
        if option.is_flag:
            words += [option.opts[0]]
            continue
        manner_of_word = manner if draw.random() < share else USUAL
        for _ in range(draw.choice([1, 1, 2, 3]) if option.multiple else 1):
            words += [draw.choice(option.opts), _value_of_option(draw, option, manner_of_word)]
        if manner == BAD and draw.random() < 0.05:
            words += [option.opts[0], _value_of_option(draw, option, USUAL)]  # twice
    words = _calibration_words(draw, words) if verb == "calibrate" else words
    if manner == BAD and draw.random() < 0.15:
        odd = draw.choice(["--nothing", "5", "--", "-", "--eps0", "--json=1", "@x"])
        words.insert(draw.randrange(1, len(words) + 1), odd)
    if draw.random() < 0.4 and verb != "witness":
        words.append("--json")
    if verb == "witness":
        words += ["--out", "w.json"]
    return words


def _value_of_option(draw: random.Random, option: click.Option, manner: str) -> str:
    name = str(option.name)
    if name == "mechanism":
        return mechanism(draw, manner)
    if name == "randomizer":
        return "worst" if draw.random() < 0.3 else randomizer(draw, manner)
    if name in VALUES or name in TEXTS:
        return value(draw, name, manner)
    names = list(getattr(option.type, "known", lambda: NAMES.get(name, ("x",)))())
    return draw.choice(names) if manner != BAD else draw.choice([*names, "x", ""])


def _calibration_words(draw: random.Random, words: list[str]) -> list[str]:
    """Return the words, mostly without the value of what is solved for."""
    if "--solve" in words and draw.random() < 0.95:
        option = "--" + words[words.index("--solve") + 1]
        if option in words:
            place = words.index(option)
            return words[:place] + words[place + 2 :]
    return words


# Calls: text is evaluated with pldcheck's protocols and pld at hand.
METHODS = {"epsilon": "delta", "delta": "epsilon", "renyi": "order"}


def call(draw: random.Random) -> str:
    """Return one call as python text: a protocol, or a privacy loss distribution, and a question to it."""
    manner, share = draw.choice((CORNER, CORNER, CORNER, USUAL, BAD)), draw.choice([0.25, 0.5, 1.0])

    def pick(name: str) -> str:
        manner_of_number = manner if draw.random() < share else USUAL
        if manner_of_number == BAD:
            return draw.choice("nan inf -1 None True '1_0' '１' '1e-400' 'x' 1j [1] 10**400".split())
        text = value(draw, name, manner_of_number)
        return repr(text) if draw.random() < 0.2 else f"numpy.float64({text})" if draw.random() < 0.1 else text

    if draw.random() < 0.05:
        return _calibration_call(draw, pick)
    if draw.random() < 0.4:
        kind = draw.choice(list(MECHANISMS))
        longer = {"rr": "randomized_response", "subsampled-rr": "subsampled_randomized_response"}
        name_of_function = longer.get(kind, kind.replace("-", "_"))
        numbers = [pick(name.rstrip("?")) for name in MECHANISMS[kind] if not name.endswith("?") or draw.random() < 0.3]
        name_of_function = f"pld.{name_of_function}({', '.join(numbers)})"
        if draw.random() < 0.5:
            name_of_function += f".compose({pick('steps')})"
        method = draw.choice(list(METHODS))
        return f"{name_of_function}.{method}({pick(METHODS[method])})"
    from pldcheck.protocols import PROTOCOLS

    protocol = draw.choice(list(PROTOCOLS.values()))
    arguments = [f"{name}={_argument(draw, name, pick, manner)}" for name in _fields(draw, protocol)]
    methods = {method: quantity for method, quantity in METHODS.items() if protocol.supports(method)} or {
        "error": "epsilon"
    }
    method = draw.choice(list(methods))
    width = f", width={pick('width')}" if draw.random() < 0.2 else ""
    return f"{protocol.__name__}({', '.join(arguments)}).{method}({pick(methods[method])}{width})"


def _calibration_call(draw: random.Random, pick: Any) -> str:
    """Return a call of calibrate, whose answer is a certificate."""

    name = draw.choice(["gaussian", "laplace", "randomized-response", "mixed-pair", "decaying-budgets", "hidden-slot"])
    other_names = {
        "gaussian": ("sigma", "steps"),
        "laplace": ("scale", "steps"),
        "randomized-response": ("eps0", "steps"),
        "mixed-pair": ("heads_p", "heads_q", "rate"),
        "decaying-budgets": ("first", "decay", "steps"),
        "hidden-slot": ("eps0", "steps", "weight"),
    }[name]
    from pldcheck.protocols import PROTOCOLS

    parameter = draw.choice([*2 * list(PROTOCOLS[name].directions), "sigma", "nothing"])
    arguments = "".join(f", {other}={pick(other)}" for other in other_names if other != parameter)
    words = draw.choice([repr(parameter)] * 8 + ["None", "5"])
    return f"calibrate({name!r}, {words}, {pick('target_epsilon')}, {pick('delta')}{arguments}).interval"


def _fields(draw: random.Random, protocol: Any) -> list[str]:
    from dataclasses import MISSING, fields

    return [
        entry.name
        for entry in fields(protocol)
        if entry.default is MISSING or draw.random() < (0.9 if entry.name == "eps0" else 0.35)
    ]


def _argument(draw: random.Random, name: str, pick: Any, manner: str) -> str:
    if name == "mechanism":
        return repr(tuple(mechanism(draw, manner) for _ in range(draw.choice([1, 1, 2, 3]))))
    if name == "randomizer":
        return repr("worst" if draw.random() < 0.3 else randomizer(draw, manner))
    if name in NAMES:
        return repr(draw.choice(NAMES[name]))
    if name in TEXTS:
        return repr(value(draw, name, manner))
    return pick(name)
