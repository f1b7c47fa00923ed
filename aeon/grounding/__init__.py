"""What an answer rests on: its values, and where each of them stands. The host's own work; no model is asked."""
