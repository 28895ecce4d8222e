"""A running installation: its processes, in order of their start, and its demo."""
