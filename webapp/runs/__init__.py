"""Bindings, runs, and the reconciler that makes what is observed follow what is desired."""
