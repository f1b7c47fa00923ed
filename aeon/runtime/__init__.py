"""Drivers, journal and ledger: the only things that touch the world."""
