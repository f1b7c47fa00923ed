"""The machine: what is true of every run of every engine. Pure: no I/O, no clock, no randomness, no model."""
