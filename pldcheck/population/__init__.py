"""Random check-ins when the number of clients is known: how many slots stay empty, and what that hides."""
