"""Rows between processes: chunks in columns, their Arrow types, and rows as JSON."""
