"""Runs that are killed, and results that equal those of an undisturbed run."""
