"""Results as files of a folder or a bucket: a repeated write, by day and batch, replaces the same file."""
