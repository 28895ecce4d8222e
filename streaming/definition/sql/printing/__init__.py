"""A graph into text."""
