"""Tests of the kernel: it is driven by hand, effect by effect."""
