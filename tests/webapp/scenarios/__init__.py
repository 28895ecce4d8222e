"""Tests of scenarios, templates and transcripts."""
