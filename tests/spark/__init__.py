"""What the room `spark` promises: most of it without Spark, the rest in one session that all tests share."""
