"""Benchmarks of many bindings and organisations in one runner or database."""
