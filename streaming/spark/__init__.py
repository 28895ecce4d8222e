"""The engine on Spark: data source, operator stage, sink, carriers. The only room that imports pyspark."""
