"""Operators that change lifetimes or wait for the ends of edges."""
