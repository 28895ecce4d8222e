"""Tests of match_recognize."""
