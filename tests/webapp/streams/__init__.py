"""Tests of streams over each adapter."""
