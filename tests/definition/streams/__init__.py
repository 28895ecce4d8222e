"""Tests of EVENTTIME BY and of time patterns."""
