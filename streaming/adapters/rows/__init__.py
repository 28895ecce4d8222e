"""Transcript rows from a JSON lines file, cut into micro-batches by their `batch` numbers."""
