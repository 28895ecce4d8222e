"""Changes of tables of PostgreSQL as streams: the life of each row, by logical replication."""
