"""Profiles of the engine's parts, on one core."""
