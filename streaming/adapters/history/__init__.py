"""Inputs with two sources: history, which ends, and live (T54 to T58)."""
