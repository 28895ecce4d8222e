"""Tables of PostgreSQL as streams, polled for rows after the last value of a growing column."""
