"""Formulas with one thing changed: edits of their syntax trees, compiled in a copy of their module's names.

The module itself stays as it is.  Loops count their turns, so that a formula which no longer ends is stopped after as
many on every machine.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import CodeType, FunctionType, MappingProxyType
from typing import Any

# Turns of loops in one evaluation; a registered formula takes a tenth of that at the points used.
MOST_TURNS = 100_000

TERM = "drop a term"
TWICE = "double a constant"
HALF = "halve a constant"
EXPONENT = "change an exponent"
SIGN = "swap + and -"
FACTOR = "swap * and /"
FUNCTION = "exchange a function"
# Functions that are mistaken for each other.
EXCHANGED = {"exp": "expm1", "expm1": "exp", "log": "log1p", "log1p": "log", "min": "max", "max": "min"}
# Functions that are forgotten, and what forgetting them is.
FORGOTTEN = {"sqrt": EXPONENT, "ceil": FUNCTION, "floor": FUNCTION}
OPPOSITE: Mapping[type, tuple[type, str]] = {
    ast.Add: (ast.Sub, SIGN),
    ast.Sub: (ast.Add, SIGN),
    ast.Mult: (ast.Div, FACTOR),
    ast.Div: (ast.Mult, FACTOR),
}


class Endless(RuntimeError):
    """A formula whose loops take too many turns."""


@dataclass
class Clock:
    """Counts the turns of the loops of one evaluation."""

    turns: int = 0
    most: int = MOST_TURNS

    def start(self, most: int = MOST_TURNS) -> None:
        """Of an evaluation that may take so many turns."""
        self.turns, self.most = 0, most

    def tick(self) -> bool:
        """Return one turn; true, so that it may be a condition."""
        self.turns += 1
        if self.turns > self.most:
            raise Endless("too many turns")
        return True


CLOCK = Clock()


@dataclass(frozen=True)
class Edit:
    """One change in the function ``place``; ``within`` is what kind of statement it is in."""

    kind: str
    place: str
    before: str
    after: str
    within: str
    tree: ast.AST = field(repr=False, compare=False)
    # The function as it was, with the place that is changed marked.
    marked: ast.AST = field(repr=False, compare=False)


@dataclass(frozen=True)
class Source:
    """The functions of a module, as trees and compiled with counted loops."""

    names: Mapping[str, Any] = field(repr=False)
    functions: Mapping[str, ast.FunctionDef] = field(repr=False)
    lambdas: tuple[ast.Lambda, ...] = field(repr=False)
    nested: tuple[ast.FunctionDef, ...] = field(repr=False)
    code: CodeType = field(repr=False)


@cache
def source(module: str) -> Source:
    """Of a module that is imported."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    lambdas = tuple(node for node in ast.walk(tree) if isinstance(node, ast.Lambda))
    every = tuple(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    nested = tuple(node for node in every if node not in functions.values())
    code = _compiled([_counted(_rebuilt(node)) for node in functions.values()])
    return Source(vars(sys.modules[module]), functions, lambdas, nested, code)


def tree_of(function: Callable[..., Any]) -> ast.FunctionDef | ast.Lambda | None:
    """The syntax of a function at the top of a module or inside another one, or of a lambda alone on its line."""
    known = source(function.__module__)
    if not isinstance(function, FunctionType):
        return None
    if known.names.get(function.__name__) is function:
        return known.functions.get(function.__name__)
    line = function.__code__.co_firstlineno
    inner = [node for node in known.nested if node.lineno == line and function.__name__ == node.name]
    if len(inner) == 1:
        return inner[0]
    found = [node for node in known.lambdas if node.lineno == line and function.__name__ == "<lambda>"]
    return found[0] if len(found) == 1 else None


def edits(function: Callable[..., Any]) -> Iterator[tuple[Edit, Callable[..., Any]]]:
    """Yield every change of a function and of those of its module that it calls, with what the function then is."""
    known = source(function.__module__)
    root = tree_of(function)
    if root is None:
        return
    for tree in (root, *(known.functions[name] for name in _called(root, known))):
        for edit in _edits(tree):
            yield edit, _made(function, known, edit.tree)


def condition_edits(function: Callable[..., Any]) -> Iterator[tuple[Edit, Callable[..., Any]]]:
    """The same for the excess of a condition, whose limit may be a constant of its module; what it calls stays."""
    known = source(function.__module__)
    root = tree_of(function)
    if root is None:
        return
    for edit in (*_edits(root), *_limits(root, known)):
        yield edit, _made(function, known, edit.tree)


def _limits(tree: Any, known: Source) -> Iterator[Edit]:
    """Yield a constant of the module that is named, doubled and halved."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id.isupper() and isinstance(known.names.get(node.id), int | float):
            for kind, operation in ((TWICE, ast.Mult()), (HALF, ast.Div())):
                new = ast.BinOp(node, operation, ast.Constant(2))
                yield _edit(kind, tree, node, new, "value")


def watched(function: Callable[..., Any], edit: Edit, seen: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return the function as it was, which passes what it computes at the changed place through ``seen``."""
    return _made(function, source(function.__module__), edit.marked, {"_seen": seen})


def branching(function: Callable[..., Any], mark: Callable[..., Any]) -> tuple[Callable[..., Any], int]:
    """The function as it is, with counted loops, which calls ``mark`` with the number of each branch that it takes.

    With the number of branches: both sides of what is chosen by a test, and each argument of a maximum or minimum that
    is the one taken; what only refuses is none.
    """
    known, root = source(function.__module__), tree_of(function)
    if root is None:
        return function, 0
    marks = _Marks()
    if isinstance(root, ast.Lambda):
        return _made(function, known, marks.visit(_rebuilt(root)), {"_mark": mark}), marks.count
    trees = [marks.visit(_rebuilt(known.functions[name])) for name in (root.name, *_called(root, known))]
    names = {**known.names, "_tick": CLOCK.tick, "_mark": mark}
    exec(known.code, names)
    exec(_compiled([_counted(tree) for tree in trees]), names)
    return names[root.name], marks.count


class _Marks(ast.NodeTransformer):
    """Puts a numbered mark at the start of every branch."""

    def __init__(self) -> None:
        self.count = 0

    def _call(self, *arguments: ast.expr) -> ast.Call:
        self.count += 1
        return ast.Call(ast.Name("_mark", ast.Load()), [ast.Constant(self.count - 1), *arguments], [])

    def visit_If(self, node: ast.If) -> ast.If:
        self.generic_visit(node)
        if not isinstance(node.body[-1], ast.Raise):
            node.body.insert(0, ast.Expr(self._call()))
            node.orelse.insert(0, ast.Expr(self._call()))
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        self.generic_visit(node)
        node.body, node.orelse = self._call(node.body), self._call(node.orelse)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("min", "max") and len(node.args) == 2:
            if not node.keywords and not any(isinstance(each, ast.Starred) for each in node.args):
                # The mark is told which of the two is taken.
                self.count += 1
                return self._call(node.func, *node.args)
        return node


def taken(number: int, *values: Any) -> tuple[Any, tuple[int, ...]]:
    """Return what a mark passes on, and the branches it stands for: of a maximum that of the argument that is taken."""
    if len(values) < 2:
        return (values[0] if values else None), (number,)
    function, one, other = values
    found = function(one, other)
    # Equal ones tell neither from the other.
    return found, () if one == other else (number - 1,) if found == one else (number,)


def counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same function with counted loops; itself where its syntax is not known."""
    root = tree_of(function)
    if not isinstance(root, ast.FunctionDef):
        return function
    known = source(function.__module__)
    names = {**known.names, "_tick": CLOCK.tick}
    exec(known.code, names)
    return names[root.name]


def _called(root: ast.AST, known: Source) -> list[str]:
    """Return the functions of the module that are called, directly or not, in the order in which they are met."""
    met: dict[str, None] = {}
    waiting = [root]
    while waiting:
        for node in ast.walk(waiting.pop(0)):
            name = node.id if isinstance(node, ast.Name) else ""
            if name in known.functions and name not in met and known.functions[name] is not root:
                met[name] = None
                waiting.append(known.functions[name])
    return list(met)


def _made(
    function: Callable[..., Any], known: Source, tree: Any, more: Mapping[str, Any] = MappingProxyType({})
) -> Callable[..., Any]:
    """The function with ``tree`` in the place of the function or lambda that it is a copy of, and ``more`` names."""
    names = {**known.names, "_tick": CLOCK.tick, **more}
    exec(known.code, names)
    # What a function inside another one closes over.
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    names |= {name: cell.cell_contents for name, cell in cells}
    if isinstance(tree, ast.Lambda):
        expression = ast.fix_missing_locations(ast.Expression(_rebuilt(tree)))
        return eval(compile(expression, "<mutant>", "eval"), names)
    exec(_compiled([_counted(_rebuilt(tree))]), names)
    if function.__name__ in known.functions or tree.name == function.__name__:
        return names[function.__name__]
    # A lambda whose helper is changed.
    root = tree_of(function)
    assert isinstance(root, ast.Lambda)
    return eval(compile(ast.fix_missing_locations(ast.Expression(_rebuilt(root))), "<mutant>", "eval"), names)


def _compiled(functions: list[Any]) -> CodeType:
    return compile(ast.fix_missing_locations(ast.Module(functions, [])), "<mutant>", "exec")


def _rebuilt(node: Any, target: ast.AST | None = None, new: ast.AST | None = None) -> Any:
    """Return a copy of a tree in which ``new`` stands for ``target``."""
    if target is not None and node is target:
        return new
    if isinstance(node, list):
        return [_rebuilt(each, target, new) for each in node]
    if not isinstance(node, ast.AST):
        return node
    parts = {name: _rebuilt(value, target, new) for name, value in ast.iter_fields(node)}
    return ast.copy_location(type(node)(**parts), node)


def _counted(tree: Any) -> Any:
    """Return the same tree, each loop of which counts its turns first."""
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.For | ast.While):
            node.body.insert(0, ast.parse("_tick()").body[0])
        if isinstance(node, ast.comprehension):
            node.ifs.insert(0, ast.parse("_tick()", mode="eval").body)
    return tree


def _edits(tree: ast.FunctionDef | ast.Lambda) -> Iterator[Edit]:
    parts: list[ast.AST] = [tree.body] if isinstance(tree, ast.Lambda) else list(tree.body)
    for part in parts:
        for node, parent, within in _nodes(part, tree, type(part).__name__):
            for kind, new in _changes(node, parent):
                yield _edit(kind, tree, node, new, within)


def _edit(kind: str, tree: Any, node: Any, new: ast.AST, within: str) -> Edit:
    place = tree.name if isinstance(tree, ast.FunctionDef) else "lambda"
    seen = ast.Name("_seen", ast.Load())
    if isinstance(node, ast.AugAssign):
        marked: ast.AST = ast.AugAssign(node.target, node.op, ast.Call(seen, [node.value], []))
    else:
        marked = ast.Call(seen, [node], [])
    changed, watched = _rebuilt(tree, node, new), _rebuilt(tree, node, marked)
    return Edit(kind, place, ast.unparse(node), ast.unparse(new), within, changed, watched)


def _nodes(node: ast.AST, parent: ast.AST, within: str) -> Iterator[tuple[ast.AST, ast.AST, str]]:
    """Yield all nodes that compute, each with its parent; ``within`` tells a test from a value."""
    if isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return
    yield node, parent, within
    for name, value in ast.iter_fields(node):
        inner = "test" if name in ("test", "ifs") or isinstance(node, ast.Compare) else within
        inner = "loop" if name == "iter" else inner
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.arguments):
                yield from _nodes(child, node, inner)


def _changes(node: ast.AST, parent: ast.AST) -> Iterator[tuple[str, ast.AST]]:
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
    if name in EXCHANGED and not (name in ("min", "max") and len(node.args) < 2):
        yield FUNCTION, ast.Call(ast.Name(EXCHANGED[name], ast.Load()), node.args, node.keywords)
    if name in ("min", "max") and len(node.args) == 2 and not node.keywords:
        yield from ((TERM, argument) for argument in node.args)
    if name in FORGOTTEN and len(node.args) == 1:
        yield FORGOTTEN[name], node.args[0]
