"""Tests of reading, cutting and searching documents."""
