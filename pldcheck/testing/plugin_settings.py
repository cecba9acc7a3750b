"""What the command line of pytest has to say to assertions, which are called without it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    """``quick``: the first and last value of each axis only.  ``workers``: threads; by default one a processor."""

    quick: bool = False
    workers: int | None = None


_current = Settings()


def current() -> Settings:
    """Return those in force; the usual ones outside pytest and without the plugin."""
    return _current


def use(settings: Settings) -> Settings:
    """Put ``settings`` in force; returns those before, to be put back: pytest can be run inside pytest."""
    global _current
    before, _current = _current, settings
    return before
