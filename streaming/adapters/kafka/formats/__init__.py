"""Values of messages that a schema describes: Avro and Protobuf, by text or from a registry."""
