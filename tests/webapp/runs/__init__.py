"""Tests of bindings and their runs."""
