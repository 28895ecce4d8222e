"""Replays of what a binding has read, and repairs of its results."""
