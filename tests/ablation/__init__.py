"""What every method of the engine is worth: kept questions are asked with it and without it."""
