"""What two versions of a query have in common, what differs, and how changes of two people come together."""
