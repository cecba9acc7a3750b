"""What all tests share."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # for `import naive`

# The engine compiles on first use and CI machines are noisy: no deadlines.  Derandomised: a failure repeats.
settings.register_profile("pldcheck", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("pldcheck")
