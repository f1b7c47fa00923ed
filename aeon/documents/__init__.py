"""Folders, what their files say, and where to find it."""
