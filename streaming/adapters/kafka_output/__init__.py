"""Results to a topic of Kafka: each batch in one transaction."""
