"""What recorded runs with known outcomes say about a run's own confidence."""
