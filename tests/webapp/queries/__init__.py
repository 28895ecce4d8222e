"""Tests of queries, their versions and texts, the canvas and the simulator."""
