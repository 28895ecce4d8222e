"""A text into a tree: what is written, clause by clause, before names are looked up."""
