"""From a syntax tree to nodes: ids, order, resolved names, and the settings outside the graph."""
