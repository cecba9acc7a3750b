"""Judge another accountant by a corpus of certified points: python judge_corpus.py CORPUS ANSWERS [TOLERANCE].

CORPUS is a file of `pldcheck corpus`: JSON lines, first a header, then points, each with decimal texts ``lower`` and
``upper`` that certainly enclose an epsilon (at a ``delta``) or a delta (at an ``epsilon``); the module
pldcheck.accounting.corpus describes the format.  ANSWERS has a JSON object a line for the points that an accountant
answers, in any order: {"id": "gaussian/any/plain/0", "upper": 1.25}, optionally with "lower".  A number is the double
nearest to its text; a text such as "1.25" is that decimal; an end may be null.

An upper answer below the certified lower end is certainly false, and so is a lower answer above the upper end; all
comparisons are exact.  A TOLERANCE such as 1e-9, relative, forgives the round-off of an accountant in doubles.

Exit status: 0 if no answer is certainly false (SOUND, at these points), 1 if one is (UNSOUND), 2 if a file is damaged,
of another format, or has no answers.  Imported, ``judge(points, answers)`` takes the answers by id, and
``ask(points, accountant)`` calls a function with each point.  The program needs the standard library alone.
"""

import json
import sys
from decimal import Decimal
from hashlib import blake2b
from typing import NamedTuple

# The version of the format that this program reads.
FORMAT = 1
# The quantity that a question gives, by the one that it asks.
AT = {"epsilon": "delta", "delta": "epsilon"}
# The keys of every point whose values are texts.
TEXTS = ("id", "protocol", "adjacency", "lower", "upper", "digest")
# The most worst points that are shown.
SHOWN = 10
# The largest power of ten of an end: doubles have 308.
MOST_DIGITS = 9999
# An answer that is false by less, relatively, may be no more than the round-off of doubles.
ROUND_OFF = Decimal("1e-9")
# No epsilon and no delta is smaller than this one.
ZERO = Decimal(0)
# The epsilon that nothing bounds.
INFINITE = Decimal("Infinity")


class Fault(NamedTuple):
    """A certainly false answer: its point, the reason in words, and by which factor less 1 it is false."""

    point: dict
    reason: str
    by: Decimal


class Judgement(NamedTuple):
    """The verdict on an accountant; ``ratios`` has the upper answer over the certified upper end, by id."""

    faults: list
    answered: int
    total: int
    ratios: dict
    infinite: int

    @property
    def sound(self):
        """Whether no answer is certainly false."""
        return not self.faults


def digest(text):
    """Return the digest of a text in ASCII."""
    return blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def require(condition, complaint):
    """Raise ValueError with the complaint unless the condition holds."""
    if not condition:
        raise ValueError(complaint)


def objects(path):
    """Yield the JSON object of each line of a file, with a word for its place; raise ValueError for other lines."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            place = f"{path}, line {number}"
            try:
                values = json.loads(line)
            except (ValueError, RecursionError):
                values = None
            require(type(values) is dict, f"{place}: not a JSON object")
            yield place, values


def read_corpus(path):
    """Return the header and the points of a corpus; raise ValueError, in one line, for anything else."""
    head, points = None, []
    for place, values in objects(path):
        rest = {key: value for key, value in values.items() if key != "digest"}
        same = values.get("digest") == digest(json.dumps(rest, sort_keys=True, separators=(",", ":")))
        require(same, f"{place}: its digest does not match its values")
        if head is None:
            known = (
                values.get("kind") == "corpus" and values.get("format") == FORMAT and {"count", "sum"} <= rest.keys()
            )
            require(known, f"{place}: not the header of a corpus of format {FORMAT}")
            head = values
        else:
            require(is_point(values), f"{place}: not a point of a corpus")
            points.append(values)
    require(head is not None, f"{path}: empty, not a corpus")
    whole = head["count"] == len(points) and head["sum"] == digest("".join(point["digest"] for point in points))
    require(whole, f"{path}: its points are not those that were written: some are missing, doubled or moved")
    return head, points


def is_point(values):
    """Return whether the object of a line is a point whose certified ends are numbers in their order."""
    at = AT.get(str(values.get("quantity")))
    if values.get("kind") != "point" or not all(type(values.get(key)) is str for key in (*TEXTS, at)):
        return False
    try:
        lower, upper = number(values["lower"]), number(values["upper"])
    except ValueError:
        return False
    ordered = not lower.is_nan() and not upper.is_nan() and ZERO <= lower <= upper
    return ordered and type(values.get("parameters")) is dict


def read_answers(path, points):
    """Return the answers of a file by id, each as (lower, upper); raise ValueError, in one line, for anything else."""
    known, answers = {point["id"] for point in points}, {}
    for place, values in objects(path):
        name = values.get("id")
        require(type(name) is str and name in known, f"{place}: its id is none of the corpus")
        require(name not in answers, f"{place}: {name} is answered twice")
        require(values.keys() <= {"id", "lower", "upper"}, f"{place}: an answer has id, upper and lower alone")
        try:
            answers[name] = number(values.get("lower")), number(values.get("upper"))
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
        require(answers[name] != (None, None), f"{place}: an answer has an upper or a lower end")
    return answers


def number(end):
    """Return an end as an exact decimal: a text is that decimal, another number its double, None stays None."""
    if end is None:
        return None
    try:
        require(not isinstance(end, bool), "")
        value = Decimal(end) if isinstance(end, str | int | Decimal) else Decimal(float(end))
        require(not value.is_finite() or abs(value.adjusted()) <= MOST_DIGITS, "")
    except (ArithmeticError, TypeError, ValueError):
        raise ValueError(f"an end must be a number, got {str(end)[:40]!r}") from None
    return value


def ask(points, accountant):
    """Return the answers of a function of a point: an upper end, a pair (lower, upper), or None for no answer."""
    answers = {}
    for point in points:
        answer = accountant(point)
        pair = answer if isinstance(answer, tuple) else (None, answer)
        if pair != (None, None):
            try:
                lower, upper = pair
                answers[point["id"]] = number(lower), number(upper)
            except ValueError as error:
                raise ValueError(f"{point['id']}: {error}") from None
    return answers


def judge(points, answers, tolerance=ZERO):
    """Return the Judgement on answers by id, each a pair (lower, upper) of exact decimals or None."""
    faults, ratios, infinite = [], {}, 0
    for point in points:
        below, above = answers.get(point["id"], (None, None))
        fault = fault_of(point, below, above, Decimal(tolerance))
        if fault:
            faults.append(fault)
        elif above is not None and above.is_infinite():
            infinite += point["upper"] != "inf"
        elif above is not None and Decimal(point["upper"]):
            ratios[point["id"]] = float(above / Decimal(point["upper"]))
    faults.sort(key=lambda fault: -fault.by)
    return Judgement(faults, sum(point["id"] in answers for point in points), len(points), ratios, infinite)


def fault_of(point, below, above, tolerance):
    """Return the Fault of an answer, or None."""
    low, high = Decimal(point["lower"]), Decimal(point["upper"])
    if any(end is not None and end.is_nan() for end in (below, above)):
        return Fault(point, "an end is not a number", INFINITE)
    if above is not None and above < 0:
        return Fault(point, f"the upper end {above:.6g} is negative", INFINITE)
    if above is not None and above < low and (not tolerance or excess(low, above) > tolerance):
        return Fault(point, f"upper {above:.17g} is below the certified lower end {low}", excess(low, above))
    if below is not None and below > high and (not tolerance or excess(below, high) > tolerance):
        return Fault(point, f"lower {below:.17g} is above the certified upper end {high}", excess(below, high))
    return None


def excess(more, less):
    """Return by how much one number exceeds a smaller one, relatively; infinite where that is no number."""
    return more / less - 1 if less and more.is_finite() else INFINITE


def question(point):
    """Return the question of a point in words."""
    values = " ".join(f"{name}={value}" for name, value in point["parameters"].items())
    at = AT[point["quantity"]]
    return f"{point['quantity']} of {point['protocol']} {values} {at}={point[at]}, adjacency {point['adjacency']}"


def report(points, judgement, shown=SHOWN):
    """Yield the lines of a report: the verdict, how tight upper answers are by protocol, and the worst points."""
    counts = f"{judgement.answered} of {judgement.total} points are answered"
    clear = sum(fault.by > ROUND_OFF for fault in judgement.faults)
    false = f"{len(judgement.faults)} certainly false, {clear} of them by more than {ROUND_OFF}, relatively"
    yield f"SOUND: {counts}, none certainly false" if judgement.sound else f"UNSOUND: {counts}, {false}"
    for protocol in dict.fromkeys(point["protocol"] for point in points):
        ids = {point["id"] for point in points if point["protocol"] == protocol}
        ratios = sorted((ratio, name) for name, ratio in judgement.ratios.items() if name in ids)
        count = sum(fault.point["id"] in ids for fault in judgement.faults)
        if ratios:
            median, (worst, name) = ratios[len(ratios) // 2][0], ratios[-1]
            yield f"{protocol}: {count} false; over the upper end: median {median:.6g}, worst {worst:.6g} at {name}"
        elif count:
            yield f"{protocol}: {count} false"
    if judgement.infinite:
        yield f"{judgement.infinite} upper answers are infinite where the certified end is not"
    for fault in judgement.faults[:shown]:
        yield f"  {fault.point['id']}: {fault.reason}, by {float(fault.by):.3g}: {question(fault.point)}"


def main(arguments):
    """Print the report on two files, and return the exit status."""
    try:
        require(len(arguments) in (2, 3), "usage: python judge_corpus.py CORPUS ANSWERS [TOLERANCE]")
        _, points = read_corpus(arguments[0])
        answers = read_answers(arguments[1], points)
        tolerance = number(arguments[2]) if len(arguments) == 3 else ZERO
        require(answers, f"{arguments[1]}: there is no answer")
        require(0 <= tolerance < 1, "the tolerance must be at least 0 and below 1")
    except (OSError, ValueError, ArithmeticError) as error:
        print(f"judge_corpus: {error}", file=sys.stderr)
        return 2
    judgement = judge(points, answers, tolerance)
    print(*report(points, judgement), sep="\n")
    return int(not judgement.sound)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
