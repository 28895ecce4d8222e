"""Explanations of nodes over rows in order."""
