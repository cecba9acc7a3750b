"""Questions, lines and files drawn at random, against oracles that share no code with pldcheck."""
