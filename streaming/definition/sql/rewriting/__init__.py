"""A text after its graph was changed."""
