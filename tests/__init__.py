"""Tests, in rooms like the code's."""
