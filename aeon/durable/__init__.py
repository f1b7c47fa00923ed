"""Runs that many workers share: a run is a workflow of DBOS, its journal are the workflow's steps. Needs ``durable``."""
