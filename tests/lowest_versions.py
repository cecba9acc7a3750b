"""Prints the lowest version of each requirement that pyproject.toml allows, as constraints for pip.

``python tests/lowest_versions.py > lowest.txt && pip install -c lowest.txt '.[test]'`` makes the environment in which
``.ci/versions`` tries them.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

# The requirements of requirements that must be old too: matplotlib warns of deprecated names in a newer pyparsing.
OTHERS = ["pyparsing<3.3"]


def lowest(requirements: list[str]) -> list[str]:
    """Return the constraints, each a name and its lower bound."""
    matches = [re.match(r"([\w.-]+)>=([\d.]+)", requirement) for requirement in requirements]
    return [f"{match[1]}=={match[2]}" for match in matches if match]


if __name__ == "__main__":
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["project"]
    print("\n".join(lowest(project["dependencies"] + project["optional-dependencies"]["test"]) + OTHERS))
