"""Deriving an answer a second time, in another way."""
