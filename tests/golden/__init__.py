"""Journals that every later version replays, or refuses by version."""
