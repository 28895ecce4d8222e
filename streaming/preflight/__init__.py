"""What a sample says of a query before it is started: see `README.md`."""
