"""Transcripts: executable examples that every executor runs (DEFINITION.md section 4)."""
