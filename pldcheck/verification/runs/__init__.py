"""Runs on disk: cells computed by processes or a scheduler's workers, stored as they come, resumed by identity.

Read :mod:`~pldcheck.verification.runs.run_job` first, then :mod:`~pldcheck.verification.runs.run_store` (the files) and
:mod:`~pldcheck.verification.runs.executors`.
"""
