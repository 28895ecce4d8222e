"""Results as rows of a PostgreSQL table, each batch once: the batch number is in the transaction of its rows."""
