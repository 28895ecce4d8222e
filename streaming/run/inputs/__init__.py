"""Inputs of a run: their files, samples, inferred streams, and chunks of rows."""
