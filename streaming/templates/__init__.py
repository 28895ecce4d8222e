"""Real tasks to start a query with: each a transcript with a title and a sentence on what it shows."""
