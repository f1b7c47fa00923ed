"""The Interpreter-Tutor engine: a proof game in which a model proposes moves and the host checks them."""
