"""How runs of the multi-pass engine are shown: plans, passes, deltas."""
