"""Sequences (TEMPORAL.md section 9): the node, its pattern, and the expressions over the rows of a path."""
