"""What travels between the feed, the operators and whoever reads their rows."""
