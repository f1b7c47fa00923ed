"""Runs that many workers share: a run is a workflow of DBOS, whose steps are its journal. Needs ``durable``."""
