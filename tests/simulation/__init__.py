"""Tests of the simulation: it must find what is wrong."""
