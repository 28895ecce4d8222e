"""Tests of the messages in a carrier."""
