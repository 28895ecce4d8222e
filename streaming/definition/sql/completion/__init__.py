"""Completion at the cursor of a text."""
