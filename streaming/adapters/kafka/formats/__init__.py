"""Values of messages with a schema: Avro and Protobuf, from text or from a registry."""
