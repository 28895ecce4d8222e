"""Results as objects in an S3-compatible bucket, partitioned by day, each row once."""
