"""Journeys of a new person in the browser, from the start to the first result."""
