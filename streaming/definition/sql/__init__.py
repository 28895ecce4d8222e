"""Queries as text: `parse.parse_sql` reads any text and returns the place of every part.

`printing.graphs.print_sql` writes a graph as text; `rewriting.texts.rewrite_sql` writes a changed graph into its
original text. `check.check_sql` reports all faults, `completion.complete.complete_sql` the items for the cursor.
"""
