"""A report of a hundred thousand rows: less than ten seconds, less than five megabytes.

    python -m pytest tests/benchmarks/test_report.py --benchmark-only -o addopts="" -s

The whole command in a process of its own, from reading the rows to the files, as a user waits for it.
"""

from __future__ import annotations

import subprocess
import sys

from stored_results import many, put

ROWS, SECONDS, BYTES = 100_000, 10.0, 5e6


def test_a_report_of_many_rows(benchmark, tmp_path):
    put(tmp_path, "large", many(ROWS))
    words = [sys.executable, "-m", "pldcheck", "report", str(tmp_path)]
    benchmark.pedantic(lambda: subprocess.run(words, check=True, capture_output=True), rounds=3, iterations=1)
    sizes = {path.suffix: path.stat().st_size for path in tmp_path.glob("report.*")}
    print(f"\n{ROWS} rows: {benchmark.stats['min']:.1f} s, html {sizes['.html']} bytes, markdown {sizes['.md']} bytes")
    assert benchmark.stats["min"] < SECONDS and max(sizes.values()) < BYTES
