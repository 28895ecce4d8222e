"""A Delta Lake table in the organisation's folder, read version by version: each appended row once."""
