"""Destinations of a binding's results: targets, and other bindings that read them."""
