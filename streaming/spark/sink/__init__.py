"""The sink of a carrier: parts, manifests, published rows, and the compaction of old batches."""
