"""Rows in order: sequences and analytic functions."""
