"""Lifetimes of a table's rows from its changes: stored lines, open lifetimes, and their meaning for a stream."""
