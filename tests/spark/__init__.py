"""Tests of the room `spark`: most of them without Spark, the rest in one session that all of them share."""
