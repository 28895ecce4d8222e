"""Nodes with a left and a right: pairs, pieces of lifetimes, and the latest right event."""
