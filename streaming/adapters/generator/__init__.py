"""Cars seen by roadside devices, made up: paced, skewed, late, out of order, partly malformed, the same every time."""
