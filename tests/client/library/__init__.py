"""The Python library and its pytest plugin."""
