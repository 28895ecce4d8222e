"""Tests of windows of every kind, and of top_k."""
