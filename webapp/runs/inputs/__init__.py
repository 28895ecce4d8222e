"""Inputs of a binding: resolving and checking them, and their footprints on other servers."""
