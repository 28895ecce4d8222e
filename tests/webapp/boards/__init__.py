"""Tests of definitions as files."""
