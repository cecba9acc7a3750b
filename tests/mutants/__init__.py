"""Lines of the engine made wrong, one at a time, and the test that must notice each."""
