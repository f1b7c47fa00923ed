"""Showing runs: lines for people, a flowchart, a log. All of it only looks, and none of it can change a run."""
