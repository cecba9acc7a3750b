"""Shuffling: certified divergences of the pairs that dominate it, and of those that it dominates."""
