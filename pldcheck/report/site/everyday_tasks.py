"""Everyday tasks, each in a line or two of pldcheck, beside what other accountants are told for the same."""

from __future__ import annotations

from dataclasses import dataclass

# What the lines of a program begin with, by its name.
IMPORTS = {
    "pldcheck": "import pldcheck",
    "dp_accounting": "import dp_accounting as dpa\nfrom dp_accounting.pld import PLDAccountant",
    "prv_accountant": (
        "from prv_accountant import (\n    GaussianMechanism, LaplaceMechanism, PoissonSubsampledGaussianMechanism, "
        "PRVAccountant\n)"
    ),
    "opacus": (
        "from opacus.accountants import PRVAccountant\nfrom opacus.accountants.utils import get_noise_multiplier"
    ),
}


@dataclass(frozen=True)
class Task:
    """A task: the last of each program's lines is an expression, the answer.

    ``peers``: the lines of other accountants by name; ``note``: what is different there, in a sentence.
    """

    slug: str
    title: str
    ours: str
    peers: dict[str, str]
    note: str


_EVENT = "dpa.PoissonSampledDpEvent(0.01, dpa.GaussianDpEvent(1.0))"
TASKS = (
    Task(
        "training",
        "Epsilon of a training run",
        "pldcheck.Training(records=60_000, batch=256, epochs=15, sigma=1.1).epsilon(delta=1e-5)",
        {
            "dp_accounting": (
                "step = dpa.PoissonSampledDpEvent(256 / 60_000, dpa.GaussianDpEvent(1.1))\n"
                "PLDAccountant().compose(step, 15 * 235).get_epsilon(1e-5)"
            ),
            "opacus": (
                "accountant = PRVAccountant()\naccountant.history = [(1.1, 256 / 60_000, 15 * 235)]\n"
                "accountant.get_epsilon(delta=1e-5)"
            ),
        },
        "The steps follow from the records; samplings() has the same run under other ways to draw batches.",
    ),
    Task(
        "dp-sgd",
        "Epsilon of DP-SGD",
        "pldcheck.SubsampledGaussian(sigma=1, rate=0.01, steps=1000).epsilon(delta=1e-6)",
        {
            "dp_accounting": f"PLDAccountant().compose({_EVENT}, 1000).get_epsilon(1e-6)",
            "prv_accountant": (
                "step = PoissonSubsampledGaussianMechanism(noise_multiplier=1.0, sampling_probability=0.01)\n"
                "accountant = PRVAccountant(step, max_self_compositions=1000, eps_error=0.01, delta_error=1e-9)\n"
                "accountant.compute_epsilon(1e-6, 1000)"
            ),
            "opacus": (
                "accountant = PRVAccountant()\naccountant.history = [(1.0, 0.01, 1000)]\n"
                "accountant.get_epsilon(delta=1e-6)"
            ),
        },
        "An interval with both ends certified; dp_accounting and Opacus return one number, prv_accountant a lower end, "
        "an estimate and an upper end, whose error is asked for beforehand.",
    ),
    Task(
        "calibrate",
        "Calibrate the noise",
        'pldcheck.calibrate("subsampled-gaussian", "sigma", target_epsilon=1, delta=1e-6, rate=0.01, steps=1000).value',
        {
            "dp_accounting": (
                "def training(sigma):\n"
                "    step = dpa.PoissonSampledDpEvent(0.01, dpa.GaussianDpEvent(sigma))\n"
                "    return dpa.SelfComposedDpEvent(step, 1000)\n"
                "dpa.calibrate_dp_mechanism(PLDAccountant, training, target_epsilon=1.0, target_delta=1e-6)"
            ),
            "opacus": (
                "get_noise_multiplier(\n    target_epsilon=1.0, target_delta=1e-6, sample_rate=0.01, steps=1000, "
                'accountant="prv"\n)'
            ),
        },
        "The value suffices for certain, and the next one on its grid, in the fourth digit, is certified not to.",
    ),
    Task(
        "profile",
        "Plot a privacy profile",
        "pldcheck.SubsampledGaussian(sigma=1, rate=0.01, steps=1000).profile([0, 0.5, 1, 1.5, 2]).plot()",
        {
            "dp_accounting": (
                "import matplotlib.pyplot as plt\n"
                f"accountant = PLDAccountant().compose({_EVENT}, 1000)\n"
                "epsilons = [0, 0.5, 1, 1.5, 2]\n"
                "plt.semilogy(epsilons, [accountant.get_delta(epsilon) for epsilon in epsilons])"
            ),
        },
        "A band between both ends, with names at its axes.",
    ),
    Task(
        "different-mechanisms",
        "Compose different mechanisms",
        'pldcheck.Composition(("gaussian:5", "laplace:20*10", "subsampled-gaussian:1:0.01*100")).epsilon(delta=1e-6)',
        {
            "dp_accounting": (
                "accountant = PLDAccountant().compose(dpa.GaussianDpEvent(5.0)).compose(dpa.LaplaceDpEvent(20.0), 10)\n"
                f"accountant.compose({_EVENT}, 100).get_epsilon(1e-6)"
            ),
            "prv_accountant": (
                "parts = [\n    GaussianMechanism(5.0),\n    LaplaceMechanism(mu=0.05),\n"
                "    PoissonSubsampledGaussianMechanism(noise_multiplier=1.0, sampling_probability=0.01),\n]\n"
                "accountant = PRVAccountant(\n    parts, max_self_compositions=[1, 10, 100], eps_error=0.01, "
                "delta_error=1e-9\n)\naccountant.compute_epsilon(1e-6, [1, 10, 100])"
            ),
        },
        "The list holds texts, so that it can be given on the command line as well, or protocols.",
    ),
    Task(
        "own-mechanism",
        "A mechanism of one's own",
        'pldcheck.TableMechanism(p=["1/3", "2/3"], q=["2/3", "1/3"], steps=10).epsilon(delta=1e-3)',
        {},
        "The probabilities of its outputs on two neighbours. Two densities (pld.from_density) or a function that "
        "returns a privacy loss distribution (OwnMechanism) will do as well; @pldcheck.theorem takes such a function.",
    ),
    Task(
        "theorem",
        "Judge a theorem, as a table",
        'pldcheck.verify("paper", ["thm-3.2"], quick=True).to_pandas()',
        {},
        "None of the others has theorems: what is claimed, its conditions and the verdict are a row for each cell.",
    ),
)
