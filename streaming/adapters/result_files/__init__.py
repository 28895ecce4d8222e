"""Results as files of a folder or a bucket: what is written again, by day and batch, takes its own place."""
