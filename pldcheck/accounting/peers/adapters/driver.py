"""Put questions to one peer: ``python driver.py ADAPTER MODULE DISTRIBUTION BYTES < questions``.

It uses the standard library only: the interpreter is the peer's, which may be older than ours and need not have
pldcheck.  A question is a line of JSON on stdin; an answer is one on stdout, in the same order, written at once.

question: quantity ("epsilon" or "delta"), at (the other one), adjacency, way, options, and parts, each with kind,
numbers and count.  answer: lower and upper (null for a side that is not claimed), adjacency, how, seconds (without
imports and first-call compilation), version, and the libraries on which round-off depends; or unsupported, missing or
error, each with the reason.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import math
import os
import sys
import time
import warnings
from importlib import metadata

try:
    import resource
except ImportError:  # systems other than POSIX have no such limits
    resource = None  # type: ignore[assignment]

# The libraries on whose versions the last digits of an answer depend.
LIBRARIES = ("numpy", "scipy")
FOLDER = os.path.dirname(os.path.abspath(__file__))


def main(adapter: str, module: str, distribution: str, memory: str) -> None:
    """Read all questions from stdin, and write one answer for each to stdout."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # text that the peer prints goes to stderr
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != FOLDER]  # adapters have their peers' names
    warnings.simplefilter("ignore")
    logging.disable()
    _limit(int(memory))
    questions = [json.loads(line) for line in sys.stdin]
    version = _version(distribution)
    libraries = ", ".join(f"{name} {found}" for name in LIBRARIES if (found := _version(name)))
    try:
        loaded_adapter = _load(adapter)
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0] == module
        failure = {"missing": f"no module {module}"} if missing else {"error": _line(error)}
    except BaseException as error:
        failure = {"error": _line(error)}
    else:
        failure = {}
    for question in questions:
        answer = failure or _answer(loaded_adapter, question)
        answers.write(json.dumps({**answer, "version": version, "libraries": libraries}) + "\n")
        answers.flush()


def _version(distribution):
    """Return the version of what is installed beside this interpreter, or None."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def _answer(loaded_adapter, question):
    """Return the claim of the adapter and its computing time, or the reason why there is none."""
    try:
        start = time.perf_counter()
        claim = loaded_adapter.claim(question)
        seconds = time.perf_counter() - start
    except NotImplementedError as error:
        return {"unsupported": str(error)}
    except BaseException as error:
        return {"error": _line(error)}
    return {**claim, "lower": _plain(claim["lower"]), "upper": _plain(claim["upper"]), "seconds": seconds}


def _plain(value):
    """Return a number for JSON, in which nan and infinities are texts."""
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else repr(number)


def _line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())


def _load(adapter):
    spec = importlib.util.spec_from_file_location("pldcheck_adapter", os.path.join(FOLDER, adapter + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "warm_up"):
        module.warm_up()
    return module


def _limit(memory):
    """Limit the bytes of data of this process and turn off core dumps, if the system can."""
    if resource is None:
        return
    for what, limit in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_CORE, 0)):
        most = resource.getrlimit(what)[1]
        resource.setrlimit(what, (limit if most < 0 else min(limit, most), most))


if __name__ == "__main__":
    main(*sys.argv[1:])
