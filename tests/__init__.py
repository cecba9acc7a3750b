"""Tests; ``python -m tests.adversarial``, ``tests.mutants`` and ``tests.benchmarks`` are programs of their own."""
