"""Tests of the reader, clause by clause."""
