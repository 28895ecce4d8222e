"""Streams: their schemas, and the columns and patterns of their times."""
