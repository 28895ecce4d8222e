"""Attacks on a running installation, and what they cost others: `python -m tests.attacks [NAME...]` prints a table."""
