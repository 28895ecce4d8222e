"""Tests of expressions: parsing, types, functions."""
