"""Scenarios of queries: samples with their expected results, run again on each new version."""
