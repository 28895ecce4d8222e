"""Tests of starts: their place, their state, and changes of version."""
