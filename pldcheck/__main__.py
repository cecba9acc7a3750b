"""``python -m pldcheck``."""

from .cli import main

main()
