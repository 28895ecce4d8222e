"""The turn of an organisation: collects facts, decides, and writes transitions with their outgoing messages."""
