"""Where model text becomes a valid object, or a typed failure."""
