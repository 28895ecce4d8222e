"""Work on what strangers send, in processes that have limits, one for each piece of work: see `README.md`."""
