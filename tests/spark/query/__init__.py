"""Tests of the state of a carrier."""
