"""The ledger of a binding: its rows by day, which add up, and the same as a signed file."""
