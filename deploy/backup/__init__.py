"""Backup of a whole installation as one file, and its restore into another place."""
