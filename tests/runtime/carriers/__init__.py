"""Tests of carriers and their places, without Spark."""
