"""Changes of stored runs that their digests do not reveal."""

import json

from pldcheck.verification.runs.row_encoding import digest
from pldcheck.verification.runs.run_database import to_write


def forge(path, change, number=0):
    """Change one stored row as if it had been computed with another value: the digests fit."""
    database = to_write(path)
    ((_, cell, line, _),) = database.rows(number, number + 1)
    values = json.loads(line)
    line = json.dumps({**values, **change(values)})
    database.insert([(number, cell.decode(), line, digest(number, cell.decode(), line))])
    database.settle()
    database.close()
