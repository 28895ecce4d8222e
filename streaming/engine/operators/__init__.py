"""One bucket, one turn: the kernels of its nodes over the envelopes of a batch."""
