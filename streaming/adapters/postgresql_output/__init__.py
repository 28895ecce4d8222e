"""Results as rows of a PostgreSQL table, each batch once: the number of the batch is in the transaction of its rows."""
