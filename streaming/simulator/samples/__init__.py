"""Samples and scenarios: rows from adapters, quarantine, pasted text and the generator."""
