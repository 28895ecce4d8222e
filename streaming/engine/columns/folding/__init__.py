"""Rows folded into partials of fixed windows, partials into rows, and the exact arithmetic and grouping beneath."""
