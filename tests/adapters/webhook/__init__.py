"""Results posted to an address."""
