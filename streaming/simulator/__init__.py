"""The time simulator: a query on a sample by the reference, with everything that happened and why."""
