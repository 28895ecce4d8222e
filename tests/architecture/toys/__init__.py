"""Toy additions, added from outside."""
