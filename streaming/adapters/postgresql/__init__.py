"""Tables of PostgreSQL as streams, read on and on behind a column that grows."""
