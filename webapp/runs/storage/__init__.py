"""Stored data of bindings: counting, copying, resealing and deleting it."""
