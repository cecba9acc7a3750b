"""``verify --certify`` writes files beside rows, and ``--recheck`` has them checked; all of it from the shell."""

import subprocess

from run_changes import forge

# The folder of the run below.
FEW = "results/runs/few"
JOB = """
name = "few"
summary = "a few cells"
[[grid]]
theorems = ["thm-A.4"]
steps = [10, 100]
eps0 = 1.0
weight = 0.5
delta = 1e-6
"""


def folder_of_a_run(pldcheck, tmp_path):
    (tmp_path / "few.toml").write_text(JOB)
    result = pldcheck("verify", "few.toml", "--certify", "--workers", "0")
    assert result.status == 0
    conclusion, check = result.out.splitlines()[-2:]
    assert conclusion.startswith("certificates of 2 of 2 HOLDS rows; ")
    assert check == f"check without pldcheck: python3 {FEW}/checkers.pyz {FEW}/certificates/*.json"
    alone = subprocess.run(check.partition(": ")[2], shell=True, capture_output=True, text=True, cwd=tmp_path)
    assert (alone.returncode, alone.stdout.count("accepted: ")) == (0, 2)
    return tmp_path / "results" / "runs" / "few"


def test_files_are_written_and_checked(pldcheck, tmp_path):
    folder = folder_of_a_run(pldcheck, tmp_path)
    files = sorted((folder / "certificates").iterdir())
    assert pldcheck("certificate", "check", *files).status == 0
    result = pldcheck("verify", "few.toml", "--recheck", "1", "--workers", "0")
    assert result.status == 0 and "2 of their files checked by their programs, 0 not confirmed" in result.out
    result = pldcheck("verify", "few.toml", "--resume", "--certify", "--workers", "0", "--json")
    assert result.json["certify"]["certificates"] == 2 and len(result.json["certify"]["files"]) == 2
    # A manifest is no result of its own on the page of a report.
    assert pldcheck("report", "results").err == ""


def test_a_changed_file_ends_with_status_1(pldcheck, tmp_path):
    folder = folder_of_a_run(pldcheck, tmp_path)
    first, second = sorted((folder / "certificates").iterdir())
    first.write_bytes(second.read_bytes())
    result = pldcheck("verify", "few.toml", "--recheck", "1", "--workers", "0")
    assert result.status == 1 and result.err == (
        f"not confirmed: certificates/{first.name}: its digest is not that in the manifest\n"
    )
    assert "2 of their files checked by their programs, 1 not confirmed" in result.out
    result = pldcheck("verify", "few.toml", "--recheck", "1", "--workers", "0", "--json")
    assert result.status == 1 and len(result.json["provenance"]["recheck"]["not_confirmed"]) == 1
    assert pldcheck("verify", "few.toml", "--resume", "--certify", "--workers", "0").status == 0
    assert pldcheck("verify", "few.toml", "--recheck", "1", "--workers", "0").status == 0


def test_a_row_with_another_value_ends_with_status_1(pldcheck, tmp_path):
    def larger(row):
        claim = row["analytic"] * 1.5
        return {"analytic": claim, "tightness_lower": claim / row["upper"], "tightness_upper": claim / row["lower"]}

    forge(folder_of_a_run(pldcheck, tmp_path) / "few.sqlite", larger)
    result = pldcheck("verify", "few.toml", "--recheck", "0.001", "--workers", "0")
    assert result.status == 1 and "its claim or verdict does not follow from its values" in result.err
    assert pldcheck("verify", "few.toml", "--recheck", "0.001", "--workers", "0").status == 0


def test_writing_and_checking_at_once_are_refused_in_one_line(pldcheck, tmp_path):
    (tmp_path / "few.toml").write_text(JOB)
    result = pldcheck("verify", "few.toml", "--certify", "--recheck", "0.5")
    assert (result.status, result.out) == (2, "") and result.err.count("\n") == 1
    assert "--certify writes files, --recheck checks those that are stored: one at a time" in result.err
    for share in ("0", "1.5", "nan", "-1", "x"):
        result = pldcheck("verify", "few.toml", "--recheck", share)
        assert (result.status, result.out) == (2, "") and result.err.count("\n") == 1, share
