"""Tests of the multi-pass engine: its program, plans, rules, refinements and questions."""
