"""Tools for accountants: exchange with other libraries, comparison with other accountants, and calibration.

Read :mod:`~pldcheck.accounting.calibration` first, then :mod:`~pldcheck.accounting.peers` and
:mod:`~pldcheck.accounting.interop`.  :mod:`~pldcheck.accounting.corpus` writes certified points for others' tests.
"""
