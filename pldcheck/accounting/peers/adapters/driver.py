"""Asks one peer: ``python driver.py ADAPTER MODULE DISTRIBUTION BYTES < questions``.

Standard library only: the interpreter is the peer's, which may be older than ours and need not have pldcheck.  A
question is a line of JSON on stdin; an answer is one on stdout, in the same order, written as soon as it is there.

question: quantity ("epsilon" or "delta"), at (the other one), adjacency, way, options, and parts, each with kind,
numbers and count.  answer: lower and upper (null for a side that is not claimed), adjacency, how, seconds (without
imports and first-call compilation) and version; or unsupported, missing or error, each with the reason.
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
except ImportError:  # not a POSIX system: no limits
    resource = None  # type: ignore[assignment]

FOLDER = os.path.dirname(os.path.abspath(__file__))


def main(adapter: str, module: str, distribution: str, memory: str) -> None:
    """Answer all questions."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever the peer prints is no answer
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != FOLDER]  # adapters have their peers' names
    warnings.simplefilter("ignore")
    logging.disable()
    _limit(int(memory))
    questions = [json.loads(line) for line in sys.stdin]
    try:
        version = metadata.version(distribution)
    except metadata.PackageNotFoundError:
        version = None
    try:
        asked = _loaded(adapter)
    except ModuleNotFoundError as error:
        missing = (error.name or "").split(".")[0] == module
        failure = {"missing": f"no module {module}"} if missing else {"error": _line(error)}
    except BaseException as error:
        failure = {"error": _line(error)}
    else:
        failure = {}
    for question in questions:
        answer = failure or _answer(asked, question)
        answers.write(json.dumps({**answer, "version": version}) + "\n")
        answers.flush()


def _answer(asked, question):
    """Return what the adapter says, with its seconds."""
    try:
        start = time.perf_counter()
        claim = asked.claim(question)
        seconds = time.perf_counter() - start
    except NotImplementedError as error:
        return {"unsupported": str(error)}
    except BaseException as error:
        return {"error": _line(error)}
    return {**claim, "lower": _plain(claim["lower"]), "upper": _plain(claim["upper"]), "seconds": seconds}


def _plain(value):
    """Return a number as JSON has it; nan and infinities as text."""
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else repr(number)


def _line(error):
    return " ".join(f"{type(error).__name__}: {error}".split())


def _loaded(adapter):
    spec = importlib.util.spec_from_file_location("pldcheck_adapter", os.path.join(FOLDER, adapter + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if hasattr(module, "warm_up"):
        module.warm_up()
    return module


def _limit(memory):
    """No more than so many bytes of data, and no core dumps, where the system can."""
    if resource is None:
        return
    for what, wanted in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_CORE, 0)):
        most = resource.getrlimit(what)[1]
        resource.setrlimit(what, (wanted if most < 0 else min(wanted, most), most))


if __name__ == "__main__":
    main(*sys.argv[1:])
