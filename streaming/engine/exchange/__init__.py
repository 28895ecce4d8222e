"""Messages between the feed, the operators and the readers of their rows."""
