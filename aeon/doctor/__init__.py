"""Measures what an endpoint really does, and says what follows from it for a run."""
