"""Plain text: from the bytes of a file, as the verifier of proofs makes it too, and as a set of words."""

from __future__ import annotations

from aeon.proof.plain import clean, decode, with_columns

__all__ = ["clean", "decode", "with_columns", "word_set"]


def word_set(words: str) -> frozenset[str]:
    """Return the words that stand in a text with blanks between them."""
    return frozenset(words.split())
