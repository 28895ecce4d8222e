"""Expressions of the definition over columns, and the rows on which they fail."""
