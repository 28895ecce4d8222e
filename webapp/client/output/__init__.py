"""The output of a command: sentences, tables, errors and JSON."""
