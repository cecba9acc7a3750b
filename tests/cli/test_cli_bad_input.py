"""Bad input: one line that names the parameter, the value and what is allowed; status 2; nothing else."""

import pytest

from pldcheck.protocols import PROTOCOLS

EPS = ("eps", "hidden-slot", "--eps0", "1", "--weight", "1", "--delta", "1e-6")


def replace_option(option, value):
    """Return EPS with nine steps and another value of one option."""
    words = [*EPS, "--steps", "9"]
    words[words.index(option) + 1] = value
    return tuple(words)


SAMPLED = ("eps", "subsampled-gaussian", "--sigma", "1", "--steps", "9", "--delta", "1e-6")
DELTA = ("delta", "check-in", "--steps", "10", "--eps0", "1", "--check-in-prob", "1")
BOUND = ("bound", "thm-A.4", "--steps", "10", "--eps0", "1", "--delta", "1e-6")
STEPS = "an integer from 1 to 1e12"
UNIT = "above 0 and at most 1"
OPEN_UNIT = "above 0 and below 1"
OF_DELTA = "at least 0 and below 1"

CASES = {
    # numbers: the name, the value, the range
    "steps negative": ((*EPS, "--steps", "-1"), ("steps", "-1", STEPS)),
    "steps zero": ((*EPS, "--steps", "0"), ("steps", "'0'", STEPS)),
    "steps fraction": ((*EPS, "--steps", "1.5"), ("steps", "1.5", STEPS)),
    "steps nan": ((*EPS, "--steps", "nan"), ("steps", "nan", STEPS)),
    "steps infinite": ((*EPS, "--steps", "inf"), ("steps", "inf", STEPS)),
    "steps too many": ((*EPS, "--steps", "1e13"), ("steps", "1e13", STEPS)),
    "steps a word": ((*EPS, "--steps", "many"), ("steps", "many", STEPS)),
    "steps empty": ((*EPS, "--steps", ""), ("steps", "''", STEPS)),
    "steps missing": (EPS, ("missing option --steps-per-epoch, which must be", STEPS)),
    "steps of an epoch without value": (
        (*EPS, "--steps-per-epoch"),
        ("missing value of --steps-per-epoch, which must be", STEPS),
    ),
    "steps by two names": ((*EPS, "--steps", "9", "--steps-per-epoch", "9"), ("--steps-per-epoch is given twice",)),
    "steps without value": ((*EPS, "--steps"), ("missing value of --steps, which must be", STEPS)),
    "eps0 negative": (replace_option("--eps0", "-1"), ("eps0", "-1", "above 0 and at most 20")),
    "eps0 nan": (replace_option("--eps0", "nan"), ("eps0", "nan", "above 0 and at most 20")),
    "delta one": (replace_option("--delta", "1"), ("delta", "'1'", OF_DELTA)),
    "delta nan": (replace_option("--delta", "NaN"), ("delta", "NaN", OF_DELTA)),
    "delta negative": (replace_option("--delta", "-1e-6"), ("delta", "-1e-6", OF_DELTA)),
    "weight zero": (replace_option("--weight", "0"), ("weight", "'0'", UNIT)),
    "weight above one": (replace_option("--weight", "1.01"), ("weight", "1.01", UNIT)),
    "weight tiny": (replace_option("--weight", "1e-300"), ("weight", "at least 1e-100 (below, products", "1e-300")),
    "eps0 tiny": (replace_option("--eps0", "1e-31"), ("eps0", "at least 1e-30 (below, products", "1e-31")),
    "rate in percent": ((*SAMPLED, "--rate", "1%"), ("rate", "'1%'", UNIT, "rate = batch / records, and 1 % is 0.01")),
    "rate as a batch": ((*SAMPLED, "--rate", "256"), ("rate", "'256'", "rate = batch / records")),
    "a decimal comma": ((*SAMPLED, "--rate", "0,5"), ("rate", "'0,5'", "decimals have a point: 0.5")),
    "a comma in a whole number": (
        (*EPS, "--steps", "3,525"),
        ("steps", "'3,525'; thousands have no comma: 3525\n"),
    ),
    "commas in a whole number": ((*EPS, "--steps", "3,525,000"), ("thousands have no comma: 3525000\n",)),
    "a comma that is either": (
        ("eps", "laplace", "--scale", "1,500", "--delta", "0.1"),
        ("thousands have no comma: 1500, decimals have a point: 1.500\n",),
    ),
    "adjacency of samples": (
        (*SAMPLED, "--rate", "0.1", "--adjacency", "replace"),
        (
            "'--adjacency'",
            "--sampling poisson is for a record added or removed",
            "poisson-replaced and fixed-size for one replaced",
        ),
    ),
    "adjacency of shuffles": (
        ("eps", "shuffle", "--clients", "5", "--eps0", "1", "--delta", "1e-6", "--adjacency", "zero-out"),
        ("'--adjacency'", "the adjacency of shuffle is replace (one record is changed for another)"),
    ),
    # digits of other scripts, underscores and text that is not 0 but reads as 0, which float() takes
    "steps in fullwidth digits": ((*EPS, "--steps", "１"), ("steps", STEPS, "in plain digits such as 12", "１")),
    "steps with underscores": ((*EPS, "--steps", "1_000"), ("steps", "in plain digits such as 12", "1_000")),
    "steps rounded": ((*EPS, "--steps", "1.0000000000000000001"), ("steps", STEPS, "1.0000000000000000001")),
    "eps0 read as 0": (
        replace_option("--eps0", "1e-400"),
        ("eps0", "not so small that it would be read as 0", "1e-400"),
    ),
    "epsilon read as 0": ((*DELTA, "--epsilon", "1e-400"), ("epsilon", "read as 0", "1e-400")),
    "epsilon overflows": ((*DELTA, "--epsilon", "1e400"), ("epsilon", "at least 0 and finite", "1e400")),
    "a number of many digits": ((*EPS, "--steps", "9" * 5000), ("steps", "999...", "5002 characters")),
    # what repeats or contradicts
    "steps twice": ((*EPS, "--steps", "9", "--steps", "9"), ("--steps is given twice",)),
    "eps0 of noise": (
        (*EPS, "--steps", "9", "--randomizer", "gaussian:2"),
        ("eps0", "left out with gaussian:2, which is the same at every eps0", "1.0"),
    ),
    "eps0 of discrete noise": (
        ("eps", "check-in", "--steps", "9", "--eps0", "1", "--randomizer", "discrete-gaussian:2", "--delta", "0.1"),
        ("eps0", "left out with discrete-gaussian:2"),
    ),
    "eps0 missing": (("eps", "hidden-slot", "--steps", "9", "--delta", "0.1"), ("missing option --eps0, which must",)),
    "mechanism missing": (("eps", "composition", "--delta", "0.1"), ("missing option --mechanism",)),
    "mechanism in fullwidth digits": (
        ("eps", "composition", "--mechanism", "rr:１", "--delta", "0.1"),
        ("mechanism", "numbers such as gaussian:2", "１"),
    ),
    "control characters": (("show", "\x1b[31mthm"), ("\\x1b[31mthm",)),
    "width zero": ((*EPS, "--steps", "9", "--width", "0"), ("width", "'0'", OPEN_UNIT)),
    "epsilon negative": ((*DELTA, "--epsilon", "-0.1"), ("epsilon", "-0.1", "at least 0 and finite")),
    "epsilon infinite": ((*DELTA, "--epsilon", "inf"), ("epsilon", "inf", "at least 0 and finite")),
    "check-in-prob": ((*DELTA[:-1], "2", "--epsilon", "1"), ("check_in_prob", "2", UNIT)),
    "clients below window": (
        ("eps", "sliding-window", "--window", "9", "--clients", "8", "--eps0", "1", "--delta", "0.1"),
        ("clients", "8", "at least window = 9"),
    ),
    "bound nan": ((*BOUND, "--weight", "nan"), ("weight", "nan", UNIT)),
    "bound missing": (BOUND, ("missing option --weight, which must be", UNIT)),
    "verify width": (("verify", "--width", "nan"), ("width", "nan", OPEN_UNIT)),
    # names: the name, and one that is near
    "verb": (("verfy",), ("verfy", "did you mean verify")),
    "protocol": (("eps", "hiden-slot"), ("hiden-slot", "did you mean hidden-slot")),
    "no protocol": (("eps",), ("protocol", "hidden-slot, check-in, sliding-window")),
    "bound's theorem": (("bound", "thm-3.3"), ("thm-3.3", "did you mean", "thm-3.2")),
    "verify's theorem": (("verify", "--theorem", "thm-4.4"), ("thm-4.4", "did you mean", "thm-4.3")),
    "verify's second theorem": (("verify", "--theorem", "thm-4.3", "thm-44"), ("thm-44", "did you mean")),
    "verify's theorem without its hyphen": (("verify", "--theorem", "thm3.2"), ("thm3.2", "did you mean thm-3.2")),
    "a lemma without its hyphen": (("show", "lemA.2"), ("lemA.2", "did you mean lem-A.2")),
    "suite": (("verify", "--suite", "papers"), ("papers", "did you mean paper")),
    "suite to show": (("suites", "show", "papers"), ("papers", "did you mean paper")),
    "verb of suites": (("suites", "shw"), ("shw", "did you mean show")),
    "verb of job": (("job", "chek"), ("chek", "did you mean check")),
    "no verb of job": (("job",), ("command missing", "new, check")),
    "job that is not there": (("verify", "none.toml"), ("none.toml: cannot be read",)),
    "job to check": (("job", "check"), ("FILE",)),
    "show": (("show", "check-on"), ("check-on", "did you mean check-in")),
    "show nothing": (("show",), ("ID",)),
    "audit a statement without calculations": (("audit", "curves"), ("pldcheck show curves has its proof",)),
    "judge a statement": (("verify", "--theorem", "check-in-slot"), ("pldcheck show check-in-slot has its proof",)),
    "option": ((*EPS, "--step", "9"), ("--step", "did you mean --steps")),
    "adjacency": ((*EPS, "--steps", "9", "--adjacency", "zero"), ("zero", "did you mean zero-out")),
    "root option": (("--vers",), ("--vers", "did you mean --version")),
    # usage
    "too many words": ((*EPS, "--steps", "9", "10"), ("10",)),
    "flag with value": (("list", "--json=yes"), ("--json",)),
    "unwritable folder": (("verify", "--out", "/dev/null/x"), ("out", "/dev/null/x", "a folder to write to")),
}


@pytest.mark.parametrize("json", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize(("words", "message"), CASES.values(), ids=CASES)
def test_bad_input_ends_in_one_line_and_status_two_and_changes_nothing(
    pldcheck, engine, tmp_path, words, message, json
):
    place = 2 if words[0] in ("eps", "delta", "bound", "suites", "job") else 1
    result = pldcheck(*words[:place], *(json if len(words) > 1 else ()), *words[place:])
    assert result.status == 2 and result.out == ""
    assert result.err.count("\n") == 1 and result.err.endswith("\n") and result.err.startswith("pldcheck: ")
    for text in message:
        assert text in result.err
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_checked_before_anything_is_computed(pldcheck, monkeypatch):
    from pldcheck.protocols import HiddenSlot

    monkeypatch.setattr(HiddenSlot, "epsilon", lambda *args: pytest.fail("computed"))
    assert pldcheck("verify", "--quick", "--out", "/dev/null/x").status == 2


def test_an_error_of_ours_is_one_line_and_a_trace_on_demand(pldcheck, monkeypatch):
    from pldcheck.protocols import HiddenSlot

    def fail(*args):
        raise ZeroDivisionError("two\nlines")

    monkeypatch.setattr(HiddenSlot, "epsilon", fail)
    result = pldcheck(*EPS, "--steps", "9")
    assert (result.status, result.out, result.err.count("\n")) == (4, "", 1)
    assert "ZeroDivisionError: two lines" in result.err and "--debug" in result.err
    with_trace = pldcheck(*EPS, "--steps", "9", "--debug")
    assert with_trace.status == 4 and "Traceback" in with_trace.err
    assert pldcheck("--debug", *EPS, "--steps", "9").err == with_trace.err


def test_steps_beside_several_epochs_are_asked_for_by_the_name_that_says_which(pldcheck, engine):
    engine(0.25, 0.5)
    options = {"sigma": 1, "eps0": 1, "delta": 0.1}
    for name, protocol in PROTOCOLS.items():
        if not protocol.supports("epsilon"):
            continue
        parameters = protocol.parameters()
        has_epochs = "epochs" in parameters
        assert has_epochs == (getattr(parameters.get("steps"), "option", "") == "steps-per-epoch")
        if not has_epochs:
            continue
        given = [
            word for key, value in options.items() if key in (*parameters, "delta") for word in (f"--{key}", value)
        ]
        line = ("eps", name, *given, "--epochs")
        for epochs, steps, words in (
            (15, "--steps=3525", "3525 if one epoch has so many, --steps-per-epoch 235 if all epochs together have"),
            ("3", "--steps=1e1", "1e1 if one epoch has so many"),
        ):
            refused = pldcheck(*line, epochs, steps)
            asked = f"{steps.replace('=', ' ')} is not clear with --epochs {epochs}: type --steps-per-epoch {words}"
            assert (refused.status, refused.out, refused.err) == (2, "", f"pldcheck: {asked}\n")
        assert pldcheck(*line, 1, "--steps", 6).status == pldcheck(*line, 1, "--steps-per-epoch", 6).status == 0


@pytest.mark.nightly
def test_an_answer_about_several_epochs_says_how_many_steps_there_are(pldcheck):
    words = ("random-allocation", "--sigma", 3, "--steps-per-epoch", 6, "--epochs", 4)
    solve = ("--solve", "sigma", "--target-epsilon", 1, "--delta", 0.01, "--precision", 0.1)
    said = "4 epochs × 6 = 24 steps"
    answers = (
        pldcheck("eps", *words, "--delta", 0.01),
        pldcheck("delta", *words, "--epsilon", 0.5),
        pldcheck("compare", *words, "--delta", 0.01),
        pldcheck("calibrate", words[0], *words[3:], *solve),
        pldcheck("certificate", "write", *words, "--delta", 0.01, "--out", "c.json"),
        pldcheck("witness", "write", "hidden-slot", *words[3:], "--eps0", 1, "--delta", 0.01, "--out", "w.json"),
    )
    assert all(answer.status == 0 and said in answer.out for answer in answers)
    assert pldcheck("eps", *words, "--delta", 0.01, "--json").json["total_steps"] == 24
    assert " = " not in pldcheck("eps", *words[:-1], 1, "--delta", 0.01).out.splitlines()[1]


def test_a_file_that_is_no_job_is_not_called_an_unknown_theorem(pldcheck, tmp_path):
    (tmp_path / "README.md").write_text("# Title\n")
    result = pldcheck("verify", "README.md")
    assert result.status == 2 and "JOB must be a file whose name ends in .toml, or a theorem" in result.err


def test_a_title_of_the_help_is_answered_with_its_commands(pldcheck):
    result = pldcheck("explain")
    assert (result.status, result.out) == (2, "")
    assert result.err.strip() == (
        "pldcheck: explain is no command; under Explain there are: waterfall, audit, dominance, trajectory, figure"
    )
