"""Tests of the planner: starts, takeovers, limits."""
