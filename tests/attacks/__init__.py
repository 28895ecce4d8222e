"""Attacks on a running installation, and their cost for others: `python -m tests.attacks [NAME...]` prints a table."""
