"""The state that outlives a batch, of lanes, buckets and nodes, and the stores for it."""
