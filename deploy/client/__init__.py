"""The client as a separate wheel."""
