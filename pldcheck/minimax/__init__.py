"""The hidden slot against every adaptive eps0-DP randomizer: exact, upper and lower ends, and their witnesses."""
