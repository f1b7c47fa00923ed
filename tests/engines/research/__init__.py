"""Tests of the research engine: its program, policy, sources, numbering, reading, writing and timing."""
