"""Brings what bindings have committed to their outputs, each batch once."""
