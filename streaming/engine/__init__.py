"""The temporal model as columnar kernels on Arrow chunks: clock, feed, fold, windows. No pyspark."""
