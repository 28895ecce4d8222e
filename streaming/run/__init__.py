"""Runs one definition on files, without the web application: `python -m streaming.run` (DEFINITION.md section 4)."""
