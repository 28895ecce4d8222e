"""One turn of an organisation or a pool: what is observed comes to follow what is desired."""
