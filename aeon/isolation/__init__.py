"""Work on files and queries that nobody vouches for, in a process of its own with limits on memory, time, output."""
