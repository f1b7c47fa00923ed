"""Lessons of earlier runs, in one file."""
