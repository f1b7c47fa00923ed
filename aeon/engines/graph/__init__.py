"""Graphs of nodes that are checked when they are built, and the engine that is one: plan, execute, reflect, verify."""
