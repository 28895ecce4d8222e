"""Guarantees of a carrier whose processes are on several machines: storage, workers, secrets."""
