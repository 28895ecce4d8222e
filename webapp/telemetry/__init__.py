"""Metrics for monitoring systems; see README.md."""
