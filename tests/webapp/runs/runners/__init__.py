"""Tests of the reconciler and of runners, with simulated processes."""
