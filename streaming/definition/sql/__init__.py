"""Queries as text: `parse_sql` reads one, whatever it holds, and says where everything stands.

`print_sql` writes a graph as text and `rewrite_sql` a changed one into the text it came from; `check_sql` tells all
that is wrong, `complete_sql` what may be written at the cursor.
"""

from streaming.definition.faults import Span
from streaming.definition.sql.check import CheckedText, check_sql
from streaming.definition.sql.completion.complete import Completions, complete_sql
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.rewriting.texts import rewrite_sql
from streaming.definition.sql.script import Script, Statement

__all__ = [
    "CheckedText",
    "Completions",
    "Script",
    "Span",
    "Statement",
    "check_sql",
    "complete_sql",
    "parse_sql",
    "print_sql",
    "rewrite_sql",
]
