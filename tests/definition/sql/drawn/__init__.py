"""Drawn names, values, settings, graphs and texts for the laws."""
