"""HTTP API of bindings and runs: requests, rights and responses."""
