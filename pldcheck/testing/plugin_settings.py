"""Settings from the command line of pytest; the assertions read them here, since they are called without it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """The settings of a test run.

    ``quick``: whether only the first and the last value of each axis are tested.  ``workers``: the number of threads;
    None stands for one per processor.
    """

    quick: bool = False
    workers: int | None = None


_current = Settings()


def current() -> Settings:
    """Return the settings in force; these are the defaults outside pytest and without the plugin."""
    return _current


def use(settings: Settings) -> Settings:
    """Put ``settings`` in force and return the previous ones, which a pytest inside pytest must restore."""
    global _current
    before, _current = _current, settings
    return before
