"""Search providers behind one interface: local collections, SearXNG, any HTTP service with JSON; and guarded pages."""
