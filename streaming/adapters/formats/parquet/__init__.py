"""Parquet batches: sizes of rows, texts that are not UTF-8, and types for a sample."""
