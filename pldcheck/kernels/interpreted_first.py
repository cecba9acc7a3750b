"""Run the first calls of a kernel in plain Python: where a process makes few, that is quicker than to compile it.

Both take the same operations of binary64 in the same order and call the same functions of the C library, so that the
values are the same to the bit; what is assumed of those functions holds for both.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import Any

import numpy as np

from ._jit import Kernel


def in_python(kernel: Kernel) -> Callable[..., Any]:
    """Return the function of a kernel in plain Python, which calls the kernels that it uses in plain Python, too."""
    function = kernel.py_func
    names = {
        name: in_python(value) if isinstance(value, Kernel) and name in function.__code__.co_names else value
        for name, value in function.__globals__.items()
    }
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def one_call(*arguments: Any) -> float:
    """Return the work of a call where all calls are alike."""
    return 1.0


def interpreted_first(kernel: Kernel, most_work: float, work: Callable[..., float] = one_call) -> Callable[..., Any]:
    """Return a function with the values of ``kernel`` whose first calls are in plain Python.

    They end when the sum of ``work(*arguments)`` would exceed ``most_work``, which should take less time than the
    compilation of the kernel, 1 to 3 s, and about as long as it takes to load it from the disk, 0.2 s.

    Python stops where compiled code goes on with inf or nan (the logarithm of 0, a division by 0, an overflow): such a
    call is left to the compiled kernel.
    """
    function, rest = in_python(kernel), most_work

    @wraps(kernel.py_func)
    def call(*arguments: Any) -> Any:
        nonlocal rest
        if rest > 0.0:
            rest -= work(*arguments)
            if rest >= 0.0:
                try:
                    with np.errstate(divide="raise", over="raise", invalid="raise"):
                        return function(*arguments)
                except (ArithmeticError, ValueError):
                    pass
        return kernel(*arguments)

    return call
