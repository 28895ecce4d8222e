"""Simulated cars at roadside devices: paced, skewed, late, out of order, partly malformed, the same every time."""
