"""Benchmarks: ratios side by side with plain Spark, printed, never asserted."""
