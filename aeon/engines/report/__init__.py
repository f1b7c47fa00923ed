"""The report engine: an analyst finds out, a critic holds it against the sources, up to three rounds."""
