"""Tests of the runner over a real Redis server; some start the whole process on Spark."""
