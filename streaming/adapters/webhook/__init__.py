"""Results as signed requests to an address."""
