"""Runs over HTTP: an API, streams of events, and what keeps runs over restarts. Needs the extra ``server``."""
