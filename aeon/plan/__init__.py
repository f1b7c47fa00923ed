"""Plans: drafting them and refining them."""
