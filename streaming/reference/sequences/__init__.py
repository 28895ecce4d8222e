"""Sequences: rows in order searched for a pattern (TEMPORAL.md section 9)."""
