"""Benchmarks of an installation as its user sees it: uploads, first rows, pages."""
