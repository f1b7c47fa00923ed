"""How a model works by programs: they are written, run, and what they give is weighed."""
