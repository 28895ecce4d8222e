"""The language check of `make lint`: words and openings that never occur in a text that people read."""
