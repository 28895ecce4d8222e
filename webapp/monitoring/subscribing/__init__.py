"""Committed rows of an output for programs: as a stream of events, and the rows that stand at a time."""
