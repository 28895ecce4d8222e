"""Bindings: writing, changing, deleting and listing their uses."""
