"""The client as a wheel of its own."""
