"""Analytic functions over rows in order (TEMPORAL, section 11)."""
