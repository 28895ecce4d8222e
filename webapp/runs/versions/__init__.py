"""Another version of a query takes over from a running one without a pause."""
