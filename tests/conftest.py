"""What all tests share."""

from hypothesis import settings

# The engine compiles on first use and CI machines are noisy: no deadlines.  Derandomised: a failure repeats.
settings.register_profile("pldcheck", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("pldcheck")
