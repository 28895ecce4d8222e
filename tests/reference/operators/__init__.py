"""Tests of operators on events and lifetimes."""
