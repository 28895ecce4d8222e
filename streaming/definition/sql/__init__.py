"""Queries as text: `parse.parse_sql` reads one, whatever it holds, and says where everything stands.

`printing.graphs.print_sql` writes a graph as text and `rewriting.texts.rewrite_sql` a changed one into the text it came
from; `check.check_sql` tells all that is wrong, `completion.complete.complete_sql` what may be written at the cursor.
"""
