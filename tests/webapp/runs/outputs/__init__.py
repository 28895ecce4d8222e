"""Tests of a binding's outputs and of delivered rows."""
