"""Chain: the answer of one engine is told to the next one."""
