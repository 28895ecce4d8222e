"""Tests of rewritten texts."""
