"""The foundation of all rooms: certified intervals, outward decimals, parameters, errors and files with digests.

Read :mod:`~pldcheck.core.interval` first (what an answer is), then :mod:`~pldcheck.core.directed` (the unit of
round-off and what moves a number outward), :mod:`~pldcheck.core.assumed` (what is assumed of library functions),
:mod:`~pldcheck.core.differences` (differences without cancellation), :mod:`~pldcheck.core.outward_decimals` (how ends
are printed) and :mod:`~pldcheck.core.lazy` (how packages load their modules).  Nothing in this room knows of privacy.
"""
