"""Tests of how answers are put into words."""
