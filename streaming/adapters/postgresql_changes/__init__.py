"""Changes of PostgreSQL tables as streams: the lifetime of each row, by logical replication."""
