"""Tables out of files: rows as they stand there, columns of numbers, dates and texts."""
