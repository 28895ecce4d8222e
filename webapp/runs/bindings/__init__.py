"""Bindings as they are written, changed, deleted and used."""
