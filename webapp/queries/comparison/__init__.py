"""Comparison and merge of versions, and their API."""
