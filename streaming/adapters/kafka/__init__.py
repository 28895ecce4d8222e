"""Topics of Kafka as streams: a lane is a partition, a position an offset."""
