"""One hidden slot of a known randomizer: certified stop-loss transforms of sums of likelihood ratios."""
