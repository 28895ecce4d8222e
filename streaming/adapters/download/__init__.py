"""A finite file at an https address: downloaded once, then always read from that copy."""
