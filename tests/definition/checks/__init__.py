"""Tests of the checker, and graphs with one fault each."""
