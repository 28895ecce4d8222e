"""From a text to a syntax tree, clause by clause, before names are resolved."""
