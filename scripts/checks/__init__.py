"""The gates that every change has to pass."""
