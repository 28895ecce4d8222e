"""Checks of nodes over rows in order: sequences and analytic functions."""
