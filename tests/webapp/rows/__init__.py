"""Row-level security: the second wall, on a real PostgreSQL, under a role that cannot pass it."""
