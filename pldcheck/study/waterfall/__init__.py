"""Waterfalls: one epsilon after each step of a proof is replaced by an exact computation, and the figure of it."""
