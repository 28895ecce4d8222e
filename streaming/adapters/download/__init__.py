"""A finite file behind an https address: downloaded once, then read from that copy for ever."""
