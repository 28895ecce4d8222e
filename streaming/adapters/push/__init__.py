"""Rows that programs send over HTTP: stored durably in an inbox, read from it exactly once."""
