"""Queries and their immutable versions."""
