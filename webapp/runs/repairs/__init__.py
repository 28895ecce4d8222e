"""Rows of quarantine that are taken back into the results to which they belong."""
