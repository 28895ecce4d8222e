"""Results as objects of a bucket that speaks S3, partitioned by day, each row once."""
