"""Whether the results answer the task."""
