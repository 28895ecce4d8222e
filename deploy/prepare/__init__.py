"""Preparation before Punctual can run; standard library only, because nothing is installed yet."""
