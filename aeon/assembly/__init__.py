"""The composition root: the only place where engines, handlers, models, tools and drivers meet."""
