"""What the theorems of this paper are stated for, where that is not all of their protocol."""

from collections.abc import Mapping

SCENES: Mapping[str, str] = {
    "chen-gdp": "shuffle-many",
}
