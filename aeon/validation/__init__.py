"""Finds faults in a plan or in results."""
