"""Results to a Kafka topic: each batch in one transaction."""
