"""Windows and top_k: panes of every kind, their contents, and the timing of their rows."""
