"""``pldcheck list`` and ``pldcheck show``: protocols, theorems, remarks, statements that certificates rest on."""

from __future__ import annotations

from dataclasses import asdict, fields
from textwrap import wrap
from typing import Any

import click

from ..core.parameters import PARAMETERS
from ..protocols import PROTOCOLS, Protocol
from ..report.unicode_formulas import symbols, unicode_formula
from ..theorems import REGISTRY, REMARKS, Remark, Theorem
from ..theorems.papers import chains
from ..theorems.statements import NOTATION, STATEMENTS, Statement
from ..verification.problem import why_unjudgeable
from ..verification.suites import SUITES
from . import protocol_text
from .options import Name, examples, print_json, switches

# The width of the paragraphs of a proof.
PROSE = 106
# What the list says of a protocol whose only quantity is an error.
ONLY_ERROR = " (For show, verify and job files: it has an error, and no eps, delta or renyi.)"


def _list(as_json: bool) -> None:
    sources = [theorem.source for theorem in REGISTRY.values()] + [remark.source for remark in REMARKS.values()]
    papers = {source.key: source.title for source in sources}
    tables: dict[str, list[dict[str, Any]]] = {
        "protocols": [{"name": name, "summary": protocol_text.summary(kind)} for name, kind in PROTOCOLS.items()],
        "theorems": [
            {"id": theorem.id, "title": theorem.title, "protocol": theorem.protocol} for theorem in REGISTRY.values()
        ],
        "remarks": [
            {"id": remark.id, "title": remark.title, "kind": remark.kind, "state": _state(remark)}
            for remark in REMARKS.values()
        ],
        "statements": [
            {"id": statement.id, "sentence": statement.sentence, "uses": list(statement.uses)}
            for statement in STATEMENTS.values()
        ],
        "suites": [{"name": suite.name, "summary": suite.summary} for suite in SUITES.values()],
        "papers": [{"key": key, "title": title} for key, title in papers.items()],
    }
    if as_json:
        print_json(tables)
        return
    column = 2 + max(len(next(iter(row.values()))) for rows in tables.values() for row in rows)
    for row in tables["protocols"]:
        if not PROTOCOLS[row["name"]].supports("epsilon"):
            row["summary"] += ONLY_ERROR
    for row in tables["theorems"]:
        row["title"] += f" [{REGISTRY[row['id']].source.key}]"
    for row in tables["remarks"]:
        row["title"] += f" ({row['kind']}) [{REMARKS[row['id']].source.key}]"
    for title, rows in tables.items():
        click.echo(title)
        for row in rows:
            name, text, *_ = row.values()
            click.echo(f"  {name:<{column}}{text}")
    click.echo(
        "pldcheck show NAME prints what a theorem says, a statement with its proof, or parameters of a protocol."
    )


def _parameters(names: tuple[str, ...]) -> list[dict[str, str]]:
    entries = [PARAMETERS[name] for name in names]
    return [{"name": entry.name, "help": entry.help, "allowed": entry.domain} for entry in entries]


def _theorem(theorem: Theorem) -> dict[str, Any]:
    return {
        "id": theorem.id,
        "title": theorem.title,
        "statement": theorem.statement,
        "adjacency": theorem.adjacency,
        "protocol": theorem.protocol,
        "parameters": _parameters(theorem.parameters),
        "conditions": [condition.text for condition in theorem.conditions],
        "source": asdict(theorem.source),
        "origin": theorem.standing,
        "notes": theorem.notes,
        "unjudgeable": why_unjudgeable(theorem),
    }


def _state(remark: Remark) -> str:
    return remark.state(remark.id in chains())


def _remark(remark: Remark) -> dict[str, Any]:
    return {
        "id": remark.id,
        "title": remark.title,
        "kind": remark.kind,
        "statement": remark.statement,
        "state": _state(remark),
        "theorems": list(remark.theorems),
        "audited": [step.id for step in chains()[remark.id].steps] if remark.id in chains() else [],
        "source": asdict(remark.source),
        "notes": remark.notes,
    }


def _statement(statement: Statement) -> dict[str, Any]:
    return {
        "id": statement.id,
        "sentence": statement.sentence,
        "statement": statement.statement,
        "conditions": list(statement.conditions),
        "notation": list(NOTATION),
        "proof": [f"{place}. {step}" for place, step in enumerate(statement.proof, 1)],
        "uses": list(statement.uses),
        "audited": [step.id for step in chains()[statement.id].steps] if statement.id in chains() else [],
        "source": asdict(statement.source),
    }


def _protocol(protocol: type[Protocol]) -> dict[str, Any]:
    return {
        "name": protocol.name,
        "summary": protocol_text.summary(protocol),
        "parameters": _parameters(tuple(entry.name for entry in fields(protocol) if entry.name in PARAMETERS)),
        "theorems": [theorem.id for theorem in REGISTRY.values() if theorem.protocol == protocol.name],
    }


def _protocol_in_full(name: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Return what is printed of a protocol: the whole of its docstring, all parameters, and the adjacencies."""
    protocol = PROTOCOLS[name]
    return {
        "name": name,
        "protocol": list(protocol_text.paragraphs(protocol)),
        "parameters": list(protocol_text.parameter_lines(protocol)),
        "adjacency": list(protocol_text.adjacency_lines(protocol)),
        "theorems": facts["theorems"],
    }


def _show(name: str, as_json: bool, latex: bool) -> None:
    facts = _facts(name)
    if as_json:
        print_json(facts)
        return
    if name in REGISTRY or name in REMARKS:
        formulas = [facts["statement"], *([meaning] if (meaning := symbols(facts["statement"])) else [])]
        facts["statement"] = formulas if latex else [unicode_formula(formula) for formula in formulas]
    if name in REMARKS:
        del facts["theorems"], facts["audited"]  # the state names them in words
    if name in PROTOCOLS:
        facts = _protocol_in_full(name, facts)
    for label, value in facts.items():
        for text in _lines(value):
            for line in [text] if name in REGISTRY or name in REMARKS else _paragraph(text):
                click.echo(f"{label:<12}{line}")
                label = ""


def _paragraph(text: str) -> list[str]:
    return wrap(text, PROSE, break_long_words=False, break_on_hyphens=False)


def _facts(name: str) -> dict[str, Any]:
    if name in REGISTRY:
        return _theorem(REGISTRY[name])
    if name in REMARKS:
        return _remark(REMARKS[name])
    return _statement(STATEMENTS[name]) if name in STATEMENTS else _protocol(PROTOCOLS[name])


def _lines(value: Any) -> list[str]:
    if isinstance(value, list):
        return [line for entry in value for line in _lines(entry)] or ["none"]
    if isinstance(value, dict) and "allowed" in value:
        return [f"{value['name']}: {value['help']}; {value['allowed']}"]
    if isinstance(value, dict):
        return [f"{value['where']}, {value['title']}", value["url"]]
    return [value] if value else []


def _names() -> tuple[str, ...]:
    return (*REGISTRY, *REMARKS, *STATEMENTS, *PROTOCOLS)


list_command = click.Command(
    "list",
    callback=_list,
    params=switches(),
    help=(
        "The protocols, theorems and suites there are, definitions and lemmas of papers with what judges them, and the "
        "statements that certificates of upper ends rest on."
    ),
    epilog=examples("list", "list --json"),
)

show_command = click.Command(
    "show",
    callback=_show,
    params=[
        click.Argument(["name"], type=Name("theorem, remark, statement or protocol", _names), metavar="ID"),
        click.Option(["--latex"], is_flag=True, help="Print a theorem as LaTeX and not as Unicode mathematics."),
        *switches(),
    ],
    short_help="One theorem, remark, statement or protocol in full.",
    help=(
        "What a theorem says, under which conditions, and where; what a definition or a lemma of a paper says, and "
        "what judges it; what a statement says that certificates rest on, with its proof; or what a protocol is."
    ),
    epilog=examples("show thm-3.2", "show check-in", "show check-in-slot", "show thm-A.4 --json"),
)
