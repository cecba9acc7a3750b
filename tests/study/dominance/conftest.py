"""Command lines, as the tests of the command line run them."""

from cli.conftest import pldcheck as pldcheck
