"""Tests of `webapp/sharing`."""
