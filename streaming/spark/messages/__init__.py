"""The rows that pass between the feed, the operators and the sink, and the keys that they share."""
