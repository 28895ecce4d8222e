"""Debezium's changes of a table, read from a topic as lifetimes of its rows."""
