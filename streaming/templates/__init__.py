"""Real tasks to begin a query with: each a transcript with a title and a sentence of what it shows."""
