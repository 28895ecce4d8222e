"""Expressions on one row: evaluation, functions, casts, numbers, calendar; null if an operation fails (T5)."""
