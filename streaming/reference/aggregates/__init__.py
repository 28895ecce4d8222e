"""Aggregates over the payloads of one group in one window, exact."""
