"""Objects of a store that speaks S3, read as files: each object is pinned by its ETag when it is taken."""
