"""Values of slow oracles, stored beside the functions that compute them; ``python -m tests.oracles`` writes them."""
