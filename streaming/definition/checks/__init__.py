"""Checks of a definition: wiring, nodes, advance-time settings, bindings; each fault with its place and remedy."""
