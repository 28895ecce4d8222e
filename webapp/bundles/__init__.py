"""Definitions of an organisation as files: exported, planned and applied; and transcripts."""
