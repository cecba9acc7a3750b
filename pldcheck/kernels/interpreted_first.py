"""Run the first calls of a kernel in plain Python: where a process makes few, that is quicker than to compile it.

It is for kernels on which no bound rests.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher


def in_python(kernel: Dispatcher) -> Callable[..., Any]:
    """Return the function of a kernel in plain Python, which calls the kernels that it uses in plain Python, too."""
    function = kernel.py_func
    names = {
        name: in_python(value) if isinstance(value, Dispatcher) and name in function.__code__.co_names else value
        for name, value in function.__globals__.items()
    }
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def interpreted_first(kernel: Dispatcher, python_calls: int) -> Callable[..., Any]:
    """Return a function with the values of ``kernel`` whose first ``python_calls`` calls are in plain Python.

    They should take less time than the compilation of the kernel, which takes 1 to 3 s.

    Python stops where compiled code goes on with inf or nan (the logarithm of 0, a division by 0, an overflow): such a
    call is left to the compiled kernel.
    """
    function, calls = in_python(kernel), 0

    @wraps(kernel.py_func)
    def call(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls <= python_calls:
            try:
                with np.errstate(divide="raise", over="raise", invalid="raise"):
                    return function(*arguments)
            except (ArithmeticError, ValueError):
                pass
        return kernel(*arguments)

    return call
