"""Samples for the time simulator: read, pasted, generated, or taken from quarantine."""
