"""Tests of the supervisor: what a model says, and what is made of it."""
