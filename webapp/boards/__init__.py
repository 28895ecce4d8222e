"""Boards: result charts and lateness tiles of several queries, their versions, and links that share them."""
