"""What a stream could be, found in a sample of its input: see `README.md`."""
