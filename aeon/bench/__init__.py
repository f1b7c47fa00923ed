"""Engines measured against chain of thought and self-consistency at equal tokens, on questions with exact answers."""
