"""Outputs of a run: their places and files, complete or unchanged."""
