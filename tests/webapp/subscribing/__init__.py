"""Outputs for programs: the stream of committed rows, and the rows that stand."""
