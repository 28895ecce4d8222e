"""The entries of the registry of functions, by family."""
