"""Tests of real runner processes on Spark."""
