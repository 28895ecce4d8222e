"""What feeds and empties streams: one folder for each adapter. Arrow in and out, no pyspark."""
