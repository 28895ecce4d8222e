"""Tests of results and their location."""
