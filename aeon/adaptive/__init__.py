"""How hard a task is, before it starts and when a step is blocked."""
