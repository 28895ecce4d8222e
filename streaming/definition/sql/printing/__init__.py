"""Printing of a graph as text."""
