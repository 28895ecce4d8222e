"""Queries as text: `parse_sql` reads one, whatever it holds, and says where everything stands."""

from streaming.definition.faults import Span
from streaming.definition.sql.check import CheckedText, check_sql
from streaming.definition.sql.parse import parse_sql
from streaming.definition.sql.places import Places
from streaming.definition.sql.script import Script, Statement

__all__ = ["CheckedText", "Places", "Script", "Span", "Statement", "check_sql", "parse_sql"]
