"""Kills and full disks in a whole installation, as its user starts it."""
