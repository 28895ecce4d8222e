"""Tests of the server: bodies, connections, headers, probes, its database and its settings."""
