"""Tests of what a run shows: events, history, journal, logs, pages of rows."""
