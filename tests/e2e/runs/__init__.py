"""Tests of runs, versions and results in the browser."""
