"""Comparison of two versions of a query, and the merge of two people's changes."""
