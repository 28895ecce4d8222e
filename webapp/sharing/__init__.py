"""Boards as they are viewed: the figures of their tiles, and links that show a board to people without an account."""
