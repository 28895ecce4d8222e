"""Operators on events and lifetimes, one file each, and what several of them share."""
