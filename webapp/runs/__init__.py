"""Bindings, runs, and the reconciler that drives the observed state of runs to the desired one."""
