"""For authors and referees: audits of proofs, attacks, simulations, comparisons, dominance, mutants and findings.

Nothing outside this room imports it but the command line: neither computing nor verifying needs what is in it.
"""
