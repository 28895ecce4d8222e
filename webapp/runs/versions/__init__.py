"""Changes of a running binding to another version of its query, without a pause."""
