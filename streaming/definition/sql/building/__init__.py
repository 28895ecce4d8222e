"""A tree into nodes: ids, order, names looked up, and the settings beside the graph."""
