"""Engines beside the multi-pass one, a package each: its pure program, its effects, their handlers, and its views."""
