"""Reads with rights, and changes with their audit events."""
