"""Formulas with one change: edits of their syntax trees, compiled in a copy of the names of their module.

The module itself does not change.  Loops count their turns, so that a formula that does not end is stopped after the
same number of turns on every machine.
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

from .syntax_changes import HALF, TWICE, changes

# Most turns of loops in one evaluation, ten times what a registered formula takes at the points in use.
MOST_TURNS = 100_000


class Endless(RuntimeError):
    """A formula whose loops take too many turns."""


@dataclass
class Clock:
    """A counter of the turns of all loops in one evaluation."""

    turns: int = 0
    most: int = MOST_TURNS

    def start(self, most: int = MOST_TURNS) -> None:
        """Start an evaluation that may take ``most`` turns."""
        self.turns, self.most = 0, most

    def tick(self) -> bool:
        """Count one turn and return True, so that the call may stand in a condition; raises Endless after too many."""
        self.turns += 1
        if self.turns > self.most:
            raise Endless("too many turns")
        return True


# The counter of all compiled formulas: one evaluation runs at a time.
CLOCK = Clock()


@dataclass(frozen=True)
class Edit:
    """One change in the function ``place``; ``within`` is the kind of statement in which it is made."""

    kind: str
    place: str
    before: str
    after: str
    within: str
    tree: ast.AST = field(repr=False, compare=False)
    # The function without the change, with a call at the place of the change.
    marked_tree: ast.AST = field(repr=False, compare=False)


@dataclass(frozen=True)
class Source:
    """The functions of a module, as trees and compiled with counted loops."""

    names: Mapping[str, Any] = field(repr=False)
    functions: Mapping[str, ast.FunctionDef] = field(repr=False)
    lambdas: tuple[ast.Lambda, ...] = field(repr=False)
    nested_functions: tuple[ast.FunctionDef, ...] = field(repr=False)
    code: CodeType = field(repr=False)


@cache
def source(module: str) -> Source:
    """Return the functions of a module that is imported."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    lambdas = tuple(node for node in ast.walk(tree) if isinstance(node, ast.Lambda))
    every = tuple(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    nested_functions = tuple(node for node in every if node not in functions.values())
    code = _compile([_count_turns(_rebuild(node)) for node in functions.values()])
    return Source(vars(sys.modules[module]), functions, lambdas, nested_functions, code)


def tree_of(function: Callable[..., Any]) -> ast.FunctionDef | ast.Lambda | None:
    """Return the syntax of a function, or of a lambda that is alone on its line; None where it cannot be identified."""
    module = source(function.__module__)
    if not isinstance(function, FunctionType):
        return None
    if module.names.get(function.__name__) is function:
        return module.functions.get(function.__name__)
    line = function.__code__.co_firstlineno
    inner = [node for node in module.nested_functions if node.lineno == line and function.__name__ == node.name]
    if len(inner) == 1:
        return inner[0]
    lambdas = [node for node in module.lambdas if node.lineno == line and function.__name__ == "<lambda>"]
    return lambdas[0] if len(lambdas) == 1 else None


def edits(function: Callable[..., Any]) -> Iterator[tuple[Edit, Callable[..., Any]]]:
    """Yield every change of a function and of the functions of its module that it calls, with the changed function."""
    module = source(function.__module__)
    root = tree_of(function)
    if root is None:
        return
    for tree in (root, *(module.functions[name] for name in _callees(root, module))):
        for edit in _edits(tree):
            yield edit, _compile_function(function, module, edit.tree)


def condition_edits(function: Callable[..., Any]) -> Iterator[tuple[Edit, Callable[..., Any]]]:
    """Yield every change of the excess of a condition, with the changed function; functions that it calls stay."""
    module = source(function.__module__)
    root = tree_of(function)
    if root is None:
        return
    for edit in (*_edits(root), *_limits(root, module)):
        yield edit, _compile_function(function, module, edit.tree)


def _limits(tree: Any, module: Source) -> Iterator[Edit]:
    """Yield changes of the named constants of the module: each is doubled and halved."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id.isupper() and isinstance(module.names.get(node.id), int | float):
            for kind, operation in ((TWICE, ast.Mult()), (HALF, ast.Div())):
                new = ast.BinOp(node, operation, ast.Constant(2))
                yield _edit(kind, tree, node, new, "value")


def watch(function: Callable[..., Any], edit: Edit, record: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return the function without the change; it passes the value at the place of the change through ``record``."""
    return _compile_function(function, source(function.__module__), edit.marked_tree, {"_record": record})


def mark_branches(function: Callable[..., Any], mark: Callable[..., Any]) -> tuple[Callable[..., Any], int]:
    """Return the function with calls of ``mark`` in its branches, and the number of branches.

    Loops are counted.  Branches are both sides of a test, and each argument of a maximum or minimum of two; a side that
    only raises an error is not a branch.
    """
    module, root = source(function.__module__), tree_of(function)
    if root is None:
        return function, 0
    marks = _Marks()
    if isinstance(root, ast.Lambda):
        return _compile_function(function, module, marks.visit(_rebuild(root)), {"_mark": mark}), marks.count
    trees = [marks.visit(_rebuild(module.functions[name])) for name in (root.name, *_callees(root, module))]
    names = {**module.names, "_tick": CLOCK.tick, "_mark": mark}
    exec(module.code, names)
    exec(_compile([_count_turns(tree) for tree in trees]), names)
    return names[root.name], marks.count


class _Marks(ast.NodeTransformer):
    """Transformer of syntax trees that puts a call with a number at the start of every branch."""

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
                # The mark receives both arguments, and finds which of them is the result.
                self.count += 1
                return self._call(node.func, *node.args)
        return node


def take(number: int, *values: Any) -> tuple[Any, tuple[int, ...]]:
    """Return the value that a mark passes on and its branches; of a maximum or minimum, that of its result."""
    if len(values) < 2:
        return (values[0] if values else None), (number,)
    function, one, other = values
    result = function(one, other)
    # Where both arguments are equal, neither branch counts.
    return result, () if one == other else (number - 1,) if result == one else (number,)


def with_counted_loops(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with counted loops, or the function itself where its syntax is not known."""
    root = tree_of(function)
    if not isinstance(root, ast.FunctionDef):
        return function
    module = source(function.__module__)
    names = {**module.names, "_tick": CLOCK.tick}
    exec(module.code, names)
    return names[root.name]


def _callees(root: ast.AST, module: Source) -> list[str]:
    """Return the names of the functions of the module that are called, directly or not, in order of first call."""
    order: dict[str, None] = {}
    waiting = [root]
    while waiting:
        for node in ast.walk(waiting.pop(0)):
            name = node.id if isinstance(node, ast.Name) else ""
            if name in module.functions and name not in order and module.functions[name] is not root:
                order[name] = None
                waiting.append(module.functions[name])
    return list(order)


def _compile_function(
    function: Callable[..., Any], module: Source, tree: Any, more: Mapping[str, Any] = MappingProxyType({})
) -> Callable[..., Any]:
    """Return the function after ``tree`` has replaced the function or lambda that it copies, with ``more`` names."""
    names = {**module.names, "_tick": CLOCK.tick, **more}
    exec(module.code, names)
    # The variables of an enclosing function.
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    names |= {name: cell.cell_contents for name, cell in cells}
    if isinstance(tree, ast.Lambda):
        expression = ast.fix_missing_locations(ast.Expression(_rebuild(tree)))
        return eval(compile(expression, "<mutant>", "eval"), names)
    exec(_compile([_count_turns(_rebuild(tree))]), names)
    if function.__name__ in module.functions or tree.name == function.__name__:
        return names[function.__name__]
    # The function is a lambda, and the changed tree is one of its helpers.
    root = tree_of(function)
    assert isinstance(root, ast.Lambda)
    return eval(compile(ast.fix_missing_locations(ast.Expression(_rebuild(root))), "<mutant>", "eval"), names)


def _compile(functions: list[Any]) -> CodeType:
    return compile(ast.fix_missing_locations(ast.Module(functions, [])), "<mutant>", "exec")


def _rebuild(node: Any, target: ast.AST | None = None, new: ast.AST | None = None) -> Any:
    """Return a copy of a tree in which ``new`` replaces ``target``."""
    if target is not None and node is target:
        return new
    if isinstance(node, list):
        return [_rebuild(each, target, new) for each in node]
    if not isinstance(node, ast.AST):
        return node
    parts = {name: _rebuild(value, target, new) for name, value in ast.iter_fields(node)}
    return ast.copy_location(type(node)(**parts), node)


def _count_turns(tree: Any) -> Any:
    """Return the tree, changed such that each turn of a loop is counted first."""
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
            for kind, new in changes(node, parent):
                yield _edit(kind, tree, node, new, within)


def _edit(kind: str, tree: Any, node: Any, new: ast.AST, within: str) -> Edit:
    place = tree.name if isinstance(tree, ast.FunctionDef) else "lambda"
    call = ast.Name("_record", ast.Load())
    if isinstance(node, ast.AugAssign):
        marked_tree: ast.AST = ast.AugAssign(node.target, node.op, ast.Call(call, [node.value], []))
    else:
        marked_tree = ast.Call(call, [node], [])
    changed_tree, watch = _rebuild(tree, node, new), _rebuild(tree, node, marked_tree)
    return Edit(kind, place, ast.unparse(node), ast.unparse(new), within, changed_tree, watch)


def _nodes(node: ast.AST, parent: ast.AST, within: str) -> Iterator[tuple[ast.AST, ast.AST, str]]:
    """Yield all nodes that compute, each with its parent and the kind of statement: a test, a loop, or a value."""
    if isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return
    yield node, parent, within
    for name, value in ast.iter_fields(node):
        inner = "test" if name in ("test", "ifs") or isinstance(node, ast.Compare) else within
        inner = "loop" if name == "iter" else inner
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.arguments):
                yield from _nodes(child, node, inner)
