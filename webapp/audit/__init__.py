"""What was done, by whom, to what: events that are written and never changed."""
