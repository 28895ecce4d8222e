"""Explanations of windows, one entry for each kind."""
