"""Ensemble: independent derivations of one task, by one engine or several, and a vote on their answers."""
