"""Tests of plans that a person confirms."""
