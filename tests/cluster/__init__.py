"""What holds when the processes of a carrier are on several machines: storage, workers, secrets."""
