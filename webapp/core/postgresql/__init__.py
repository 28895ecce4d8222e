"""Django's backend for PostgreSQL, whose connections say for which organisation they work."""
