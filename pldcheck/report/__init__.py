"""Runs on screen and on paper."""
