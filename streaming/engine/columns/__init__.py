"""Rows and events as columns: what every other room of the engine computes with."""
