"""Boards as they are viewed: the figures of their tiles."""
