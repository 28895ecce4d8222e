"""The explanations of windows: a file for each family of kinds."""
