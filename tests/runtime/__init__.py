"""What the runner promises, over a real Redis server; one test starts the whole process."""
