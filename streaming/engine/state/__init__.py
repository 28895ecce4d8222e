"""What outlives a batch: the state of lanes, buckets and nodes, and the stores in it."""
