"""For tests of what users add: contracts for their handlers, and a model that always answers in the shape asked for."""
