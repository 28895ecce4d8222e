"""Tests of the `file` adapter: its formats, dialects, order and samples."""
