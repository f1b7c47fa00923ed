"""Questions to the person who set the task."""
