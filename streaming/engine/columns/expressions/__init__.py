"""Expressions of the definition over columns, and on which rows they fail."""
