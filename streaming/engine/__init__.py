"""The same meaning in columns: kernels on Arrow chunks. No pyspark."""
