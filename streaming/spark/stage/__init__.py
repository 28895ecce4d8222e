"""The operator stages over Spark's state."""
