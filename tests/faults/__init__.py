"""Killed runs have the same results as undisturbed ones."""
