"""Peers that are not there, and what they might do."""

import sys
import textwrap

import pytest

PRV = """
    class PRVAccountant:
        def __init__(self, *given, **named): pass
        def compute_epsilon(self, delta, counts): {body}
        compute_delta = compute_epsilon
    class _Mechanism:
        def __init__(self, *given): pass
    ApproximateDPMechanism = GaussianMechanism = LaplaceMechanism = PureDPMechanism = _Mechanism
    PoissonSubsampledGaussianMechanism = _Mechanism
"""


@pytest.fixture
def fake_prv(tmp_path, monkeypatch):
    """Installs a prv_accountant whose answer is the body given; returns the function that does."""

    def install(body, start=""):
        folder = tmp_path / "site"
        (folder / "prv_accountant").mkdir(parents=True, exist_ok=True)
        text = textwrap.dedent(start) + textwrap.dedent(PRV).format(body=body)
        (folder / "prv_accountant" / "__init__.py").write_text(text)
        (folder / "prv_accountant-9.9.dist-info").mkdir(exist_ok=True)
        (folder / "prv_accountant-9.9.dist-info" / "METADATA").write_text("Name: prv-accountant\nVersion: 9.9\n")
        monkeypatch.setenv("PYTHONPATH", str(folder))
        monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")  # written twice within a second, it is compiled again
        monkeypatch.setenv("PLDCHECK_PEER_PRV", sys.executable)

    return install


@pytest.fixture(autouse=True)
def no_peers_of_this_machine(request, monkeypatch):
    """Remove interpreters named in the environment, which count only where a test asks for the real thing."""
    if "real" not in request.node.name:
        for name in ("DP_ACCOUNTING", "PRV", "PLD_ACCOUNTING", "AUTODP", "OPENDP", "OPACUS"):
            monkeypatch.delenv(f"PLDCHECK_PEER_{name}", raising=False)
