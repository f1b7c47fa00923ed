"""How values, words and sentences are written, by the tag of a language. It turns text into values and tokens.

Nothing here decides: what a text means, the model says.
"""
