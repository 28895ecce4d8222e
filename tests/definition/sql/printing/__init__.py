"""Tests of printed graphs."""
