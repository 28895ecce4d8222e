"""Results as a Delta Lake table, each batch once: its number is an application transaction in the table's log."""
