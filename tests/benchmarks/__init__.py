"""Speed: ours, that of other accountants, and of the bare work the mathematics needs."""
