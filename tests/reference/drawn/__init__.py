"""Drawn cases for the laws, and their text."""
