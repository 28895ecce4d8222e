"""Objects in an S3-compatible store, read as files: each object is pinned by its ETag when it is taken."""
