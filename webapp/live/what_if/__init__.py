"""The effect of other delays on the late rows of a binding in a range."""
