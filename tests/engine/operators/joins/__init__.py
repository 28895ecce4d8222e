"""Joins of the engine: state by key, matching, and every operator with a left and a right."""
