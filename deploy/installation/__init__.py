"""A running installation: its processes, from the first to the last, and the demo that it shows."""
