"""One answer from the results of the steps."""
