"""Committed results as one file: CSV, JSON lines, Parquet, Arrow or Excel, with the same rows in each."""
