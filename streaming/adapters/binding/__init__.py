"""The committed results of another binding of the same organisation, read as a stream."""
