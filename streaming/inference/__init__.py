"""Proposal of a stream from a sample of its input: see `README.md`."""
