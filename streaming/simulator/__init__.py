"""The time simulator: runs a query on a sample with the reference and explains every event and result."""
