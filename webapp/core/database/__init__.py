"""The database: its one writer, the order of JSON keys, row-level security, and their checks."""
