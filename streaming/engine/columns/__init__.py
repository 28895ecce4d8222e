"""Rows and events as columns, the basis of every other room of the engine."""
