"""The engine on Spark: data source, operator stage, sink. The only room that imports pyspark."""
