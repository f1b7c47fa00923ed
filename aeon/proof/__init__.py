"""The proof of an answer: the file that is written, and its verifier."""
