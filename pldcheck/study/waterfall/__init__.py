"""Waterfalls: the same epsilon after each step of a proof is undone, and the figure of it."""
