"""Scenarios of queries: samples with what must come of them, run again on each new version."""
