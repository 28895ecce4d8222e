"""Scalar functions over single values: one implementation, which reference and engine call."""
