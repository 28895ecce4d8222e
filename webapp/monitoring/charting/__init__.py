"""Charts of results: points over time or by category, computed from the rows that an export has."""
