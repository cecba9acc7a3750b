"""The small changes that a node of a syntax tree admits, by kind."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

# A summand, or an argument of a minimum or maximum, is missing.
TERM = "drop a term"
# A constant is twice as large.
TWICE = "double a constant"
# A constant is half as large.
HALF = "halve a constant"
# An exponent is one more or one less; a square root or a square is missing.
EXPONENT = "change an exponent"
# A sum is a difference, or the other way round.
SIGN = "swap + and -"
# A product is a quotient, or the other way round.
FACTOR = "swap * and /"
# A function is one that is easily mistaken for it.
FUNCTION = "exchange a function"
# Functions that are easily mistaken for each other.
EXCHANGES = {"exp": "expm1", "expm1": "exp", "log": "log1p", "log1p": "log", "min": "max", "max": "min"}
# Functions that are easily omitted, with the kind of the change.
OMISSIONS = {"sqrt": EXPONENT, "ceil": FUNCTION, "floor": FUNCTION}
# The opposite of each operation, with the kind of the change.
OPPOSITE: Mapping[type, tuple[type, str]] = {
    ast.Add: (ast.Sub, SIGN),
    ast.Sub: (ast.Add, SIGN),
    ast.Mult: (ast.Div, FACTOR),
    ast.Div: (ast.Mult, FACTOR),
}


def changes(node: ast.AST, parent: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield every change of a node, as its kind and the node that takes its place."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value:
        yield from _constants(node, parent)
    elif isinstance(node, ast.BinOp):
        yield from _operations(node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield SIGN, node.operand
    elif isinstance(node, ast.AugAssign) and type(node.op) in OPPOSITE:
        opposite, kind = OPPOSITE[type(node.op)]
        yield kind, ast.AugAssign(node.target, opposite(), node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        yield from _calls(node, node.func.id)


def _constants(node: ast.Constant, parent: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    value: Any = node.value
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow) and parent.right is node:
        yield EXPONENT, ast.Constant(value + 1)
        yield EXPONENT, ast.Constant(value - 1)
        return
    yield TWICE, ast.Constant(2 * value)
    yield HALF, ast.Constant(value // 2 if isinstance(value, int) and value % 2 == 0 else value / 2)


def _operations(node: ast.BinOp) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node.op, ast.Add | ast.Sub):
        yield TERM, node.left
        yield TERM, node.right if isinstance(node.op, ast.Add) else ast.UnaryOp(ast.USub(), node.right)
    if isinstance(node.op, ast.Mult) and ast.dump(node.left) == ast.dump(node.right):
        yield EXPONENT, node.left
    if type(node.op) in OPPOSITE:
        opposite, kind = OPPOSITE[type(node.op)]
        yield kind, ast.BinOp(node.left, opposite(), node.right)


def _calls(node: ast.Call, name: str) -> Iterator[tuple[str, ast.AST]]:
    if name in EXCHANGES and not (name in ("min", "max") and len(node.args) < 2):
        yield FUNCTION, ast.Call(ast.Name(EXCHANGES[name], ast.Load()), node.args, node.keywords)
    if name in ("min", "max") and len(node.args) == 2 and not node.keywords:
        yield from ((TERM, argument) for argument in node.args)
    if name in OMISSIONS and len(node.args) == 1:
        yield OMISSIONS[name], node.args[0]
