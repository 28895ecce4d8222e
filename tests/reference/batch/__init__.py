"""The batch query: results by definition, from all events at once."""
