"""Stored studies as tables of a report, from the values in their files alone: nothing is computed.

Each function takes the beginning of the names of its tables and what is stored, and yields tables, or None in the place
of one without lines.  What is missing in the values or is of another type raises KeyError, TypeError or ValueError.
"""

from __future__ import annotations
