"""Auto: the first rule that holds names the engine for a task."""
