"""Team: a task is split, specialists answer its parts side by side, and a master answers with what they found."""
