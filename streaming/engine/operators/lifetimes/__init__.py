"""Nodes that change or order lifetimes and store something for it: unions, edges, outputs."""
