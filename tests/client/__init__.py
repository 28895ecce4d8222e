"""The command line client against the real application over HTTP on the loopback address."""
