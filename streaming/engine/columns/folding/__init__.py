"""Folding of rows into partials of fixed windows, and of partials into rows, with exact arithmetic."""
