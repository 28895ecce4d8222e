"""The reference: the semantics of queries, executable row by row, with a trace of every decision."""
