"""Results as JSON lines, CSV or Parquet: one file for each part, complete or absent."""
