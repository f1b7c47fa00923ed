"""Tests of drivers, journal, replay and ledger."""
