"""Contractive: a tree that splits what samples disagree on, until their answers come together."""
