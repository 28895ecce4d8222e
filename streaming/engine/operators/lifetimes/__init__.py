"""Nodes that change or order lifetimes and keep something for it: unions, edges, outputs."""
