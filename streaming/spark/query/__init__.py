"""The state of a carrier's streaming query: its folder, offsets, manifests, and bindings from batch to batch."""
