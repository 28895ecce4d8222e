"""Tests of expressions on one row."""
