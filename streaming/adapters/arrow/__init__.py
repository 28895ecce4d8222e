"""Arrow columns from any source as columns of a stream: matching types, fitting values, and rows as text."""
