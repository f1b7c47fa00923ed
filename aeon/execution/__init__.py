"""Doing one step: by its tool, or by reasoning."""
