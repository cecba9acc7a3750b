"""Runs on disk: processes or the workers of a scheduler compute cells, which are stored at once and can be resumed.

Each cell has an identity, a hash of its question and of the code; a resumed run skips the cells whose hash is stored.
Read :mod:`~pldcheck.verification.runs.run_job` first, then :mod:`~pldcheck.verification.runs.run_database` (the file of
a run), :mod:`~pldcheck.verification.runs.rows_of_cells` (from cells to rows),
:mod:`~pldcheck.verification.runs.batch_run` (each cell has one outcome) and
:mod:`~pldcheck.verification.runs.executors` and :mod:`~pldcheck.verification.runs.client_executors`, whose crews do the
batches.  The processes of this machine are in :mod:`~pldcheck.verification.runs.local_processes`.

A run is one file, for ten rows as for a hundred million; its report reads the rows of a large one as they are used:

>>> from pldcheck.verification.runs import run_store
>>> report = run_store.read("results/runs/million/million.sqlite")  # doctest: +SKIP
>>> for rows in report.chunks(10_000):  # doctest: +SKIP
...     frame = pandas.json_normalize([row.to_dict() for row in rows])
"""
