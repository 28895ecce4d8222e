"""Files that people upload; see `README.md`."""
