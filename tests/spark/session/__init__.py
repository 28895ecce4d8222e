"""Tests of the session and its processes."""
