"""Delivers committed batches of bindings to their outputs, each batch once."""
