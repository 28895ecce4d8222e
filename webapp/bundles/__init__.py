"""An organisation's definitions as files: exported, planned and applied; and transcripts."""
