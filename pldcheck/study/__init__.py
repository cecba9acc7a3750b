"""Studies for authors and referees: audits of proofs, attacks, simulations, comparisons, mutants and findings.

Only the command line imports this room: neither the computation nor the verification of bounds depends on it.
"""
