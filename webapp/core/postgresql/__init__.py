"""Django's backend for PostgreSQL; each connection knows the organisation that it works for."""
