"""Files that people bring: see `README.md`."""
