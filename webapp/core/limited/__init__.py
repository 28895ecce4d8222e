"""Work on data from strangers, in processes with limits, one for each piece of work: see `README.md`."""
