"""Formats of rows that several adapters read and write."""
