"""Aeon turns any language model into a bounded, auditable, replayable reasoner."""
