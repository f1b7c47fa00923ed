"""Chain: the answer of one engine is context for the next one."""
