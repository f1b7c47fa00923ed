"""A seeded world that answers a run's effects, injects faults and checks what must hold whatever happens."""
