"""``pldcheck compare``: the papers' figures and tables, and other accountants, next to certified intervals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from . import comparison_table, out_files, peers
from .options import Group, examples, switches
from .progress import item_progress

# Names that are known to a module which imports numpy, with what each shows.
ABOUT = {
    "figure-2": "Epsilon after one shuffle, against the local budget (Balle et al. 2020, Figure 2).",
    "table-1": "Fitted exponents of the local budget and of n (Balle et al. 2020, Table 1).",
    "rounds": "Epsilon after many rounds of shuffling (Girgis et al. 2021).",
    "krr": "Epsilon of shuffled K-ary randomized response, against K.",
    "approximate": "Epsilon of check-ins with (eps0, delta0)-DP randomizers (Balle et al. 2020, Theorem 3.2).",
    "population": "Epsilon of random check-ins against p0 with the number of clients known, and the dummies it costs.",
    "allocation": "Epsilon of random allocation and of Poisson sampling, Gaussian noise, against the epochs.",
    "samplings": "Epsilon of one training run under seven samplings, shuffled batches among them.",
    "crossing": "Delta of random allocation and of Poisson sampling: where their profiles cross.",
}

Step = Callable[[int, int], None]


def _compare_command(name: str) -> click.Command:
    def compare(as_json: bool, out: str | None, quick: bool) -> None:
        from ..study.comparisons import COMPARISONS, QUICK
        from ..study.comparisons.comparison_figures import render

        out_files.check(out)
        with item_progress("points") as step:
            comparison = COMPARISONS[name](**(QUICK[name] if quick else {}), progress=step)
        stem, facts = f"{name}-quick" if quick else name, comparison.to_dict()
        files = {f"{stem}.json": out_files.text("comparison", facts)}
        out_files.print_answer(
            facts, lambda: comparison_table.lines(comparison), lambda: files | render(comparison, stem), out, as_json
        )

    return click.Command(
        name,
        callback=compare,
        params=[click.Option(["--quick"], is_flag=True, help="A few points only."), out_files.out(), *switches()],
        short_help=ABOUT[name],
        help=f"{ABOUT[name]}  Certified ends stand in brackets, rounded outward, unless they agree to 0.01 %.",
        epilog=examples(f"compare {name} --quick"),
    )


def _build_command(entry: Any) -> click.Command:
    if entry == peers.KNOWN_POINTS:
        return peers.known_points_command
    return _compare_command(entry) if isinstance(entry, str) else peers.compare_command(entry)


compare_group = Group(
    "compare",
    kind="comparison or protocol",
    what="epsilon",
    table={name: name for name in ABOUT} | {peers.KNOWN_POINTS: peers.KNOWN_POINTS} | dict(peers.COMPARABLE),
    build=_build_command,
    help=(
        "Published bounds next to each other and to what is certified; or, of a protocol, what other accountants "
        "(dp_accounting, prv, PLD_accounting, autodp, opendp, opacus) claim of it."
    ),
    epilog=examples(
        "compare figure-2",
        "compare figure-2 --out results",
        "compare rounds --quick --json",
        "compare randomized-response --steps 100 --eps0 1 --delta 1e-6 --with dp_accounting,dp_accounting:rdp",
    ),
)
