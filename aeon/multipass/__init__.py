"""The multi-pass engine: plan, execute, validate, assess, refine, until the answer is good enough. Pure."""
