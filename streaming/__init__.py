"""Punctual's temporal engine: ships to a cluster alone and knows nothing of Django."""
