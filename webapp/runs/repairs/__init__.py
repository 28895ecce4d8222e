"""Repairs: rows of quarantine that are added to the results to which they belong."""
