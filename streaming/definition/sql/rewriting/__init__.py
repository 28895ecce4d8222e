"""Rewriting of a text after a change of its graph."""
