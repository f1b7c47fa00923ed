"""Research: plan queries, search, reflect, search again, then answer with citations."""
