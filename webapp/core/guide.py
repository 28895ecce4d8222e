"""`/api/guide/`: the guide's pages and the grammar of SQL, as Markdown, for programs; the browser has its own copy."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from drf_spectacular.utils import extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import streaming
from streaming.definition.sql.grammar import clauses, sequences, settings, windows
from streaming.definition.sql.grammar.rows import ClauseRow, KeywordRow, OperatorRow, WindowRow
from streaming.definition.strict import Strict
from webapp.core.api import answer
from webapp.core.errors import ErrorEnvelope

FOLDER: Final = Path(streaming.__path__[0]) / "guide" / "pages"
INDEX: Final = "README"
SQL: Final = "sql"
_INTRODUCTION: Final = """# SQL

A query is a text of statements, each with a semicolon. `INSERT INTO` writes an output. For example:

```sql
QUERY speeding;
ADVANCE TIME cars EVERY 1 DELAY 5s LATE ADJUST;
INSERT INTO out SELECT STREAM plate, count() AS n FROM cars WHERE speed > 120 GROUP BY plate WINDOW BY TUMBLE 10s;
```
"""
_PARTS: Final[Sequence[tuple[str, Sequence[KeywordRow]]]] = (
    ("Statements", (*clauses.STATEMENTS, clauses.SELECT)),
    ("Clauses of SELECT", clauses.CLAUSES),
    ("Joins", (*clauses.JOINS, clauses.ON, clauses.USING, clauses.UNION)),
    ("Sources", (clauses.STREAM, clauses.NODE)),
    ("Operators", clauses.OPERATORS),
    ("Windows: WINDOW BY", windows.WINDOWS),
    ("Settings of time: ADVANCE TIME", settings.SETTINGS),
    ("Sequences: MATCH_RECOGNIZE", (sequences.MATCH, *sequences.MATCH_ROWS)),
    ("Values", clauses.VALUES),
)


class GuidePage(Strict):
    """A page of the guide: its name, its title, and its text as Markdown."""

    name: str
    title: str
    text: str


class GuidePages(RootModel[list[GuidePage]]):
    """The index, the grammar of SQL, then the other pages by name."""


class GuideView(APIView):
    """The guide."""

    @extend_schema(operation_id="guide", responses={200: GuidePages, 401: ErrorEnvelope})
    def get(self, request: Request) -> Response:  # noqa: ARG002
        """Return all pages; they contain no stored data."""
        return answer(GuidePages(list(guide_pages())))


@cache
def guide_pages() -> tuple[GuidePage, ...]:
    """Return all pages."""
    names = sorted(path.stem for path in FOLDER.glob("*.md"))
    others = [_page(name) for name in names if name != INDEX]
    return _page(INDEX), GuidePage(name=SQL, title="SQL", text=sql_page()), *others


def _page(name: str) -> GuidePage:
    text = (FOLDER / f"{name}.md").read_text()
    title = next(line for line in text.splitlines() if line.startswith("# ")).removeprefix("# ").replace("`", "")
    return GuidePage(name=name, title=title, text=text)


def sql_page() -> str:
    """Return the grammar of SQL as Markdown, from the tables that read, print and complete queries."""
    return "\n".join([_INTRODUCTION, *(line for part in _PARTS for line in _part(*part))])


def _part(title: str, rows: Sequence[KeywordRow]) -> Iterator[str]:
    yield f"## {title}\n"
    for row in rows:
        yield _line(row, "")
        if isinstance(row, ClauseRow | OperatorRow | WindowRow):
            options = () if isinstance(row, ClauseRow) else row.options
            yield from (_line(each, "  ") for each in (*row.arguments, *options) if each.words and each.help)
    yield ""


def _line(row: KeywordRow, indent: str) -> str:
    words = " ".join(part for part in (row.words, row.form) if part)
    return f"{indent}- `{words}`{f': {row.help}' if row.help else ''}"
