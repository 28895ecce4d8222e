"""Streams and the adapters that feed them."""
