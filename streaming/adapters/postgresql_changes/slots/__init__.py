"""Replication slots: their names, their life on the server, and changes that the server no longer has."""
