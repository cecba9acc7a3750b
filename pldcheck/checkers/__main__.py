"""Run the checkers on files: python -m checkers FILE..., or python and the path of this folder or of its archive."""

import sys
from types import ModuleType

if not __package__:  # Python has put the path of the folder or archive first: the package is what lies there
    package = ModuleType("checkers")
    package.__path__ = [sys.path.pop(0)]
    sys.modules["checkers"], __package__ = package, "checkers"

from .programs import main

sys.exit(main(sys.argv[1:]))
