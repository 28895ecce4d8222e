"""Transcript rows from a JSON lines file, divided into micro-batches by their `batch` numbers."""
