"""Operators that match the events of two nodes: pairs, pieces of lifetimes, and the latest right event."""
