"""Tests of the sink."""
