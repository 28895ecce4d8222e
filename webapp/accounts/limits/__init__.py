"""Limits of an organisation: quotas, room on the disk, computing time of previews, request rates."""
