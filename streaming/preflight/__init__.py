"""Checks of a query with samples before it is started: see `README.md`."""
