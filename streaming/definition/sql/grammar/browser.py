"""The language's words for the browser; run `python -m streaming.definition.sql.grammar.browser` to write them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.sql.grammar.clauses import CLAUSES, JOINS, OPERATORS, TIMESTAMP, UNION
from streaming.definition.sql.grammar.rows import ArgumentRow, WindowRow
from streaming.definition.sql.grammar.sequences import MATCH
from streaming.definition.sql.grammar.settings import SETTINGS
from streaming.definition.sql.grammar.windows import WINDOWS
from streaming.definition.sql.grammar.words import IN_BACKTICKS, KEYWORDS

FILE: Final = Path("frontend/src/generated/sqlWords.ts")

_PAGES: Final = {
    "INSERT INTO": "output",
    "ADVANCE TIME": "advance_time",
    "SELECT STREAM": "project",
    "FROM": "input",
    TIMESTAMP.words: "output",
    UNION.words: "union",
    "WHERE": "filter",
    "HAVING": "filter",
    "TOP": "top_k",
    "EVENTTIME BY": "input",
    "FILTER": "aggregates",
}
"""Pages of words whose rows name no kind of node. All other clauses belong to windows; WITH and QUERY have no page."""


_WINDOW_WORDS: Final = """/** Texts about a kind of windows. */
export interface WindowWords {
  /** Its name in forms. */
  readonly choice: string;
  /** The fields of an example that can be run unchanged. */
  readonly example: Readonly<Record<string, string | number>>;
  /** Its summary in a drawing, with fields in braces: always the first text, the others if their field is set. */
  readonly summary: readonly string[];
}

"""


def word_pages() -> dict[str, str]:
    """Return the page of the guide for each sequence of words of the language, in capitals."""
    pages = {row.words: "window" for row in CLAUSES} | _PAGES
    pages |= {row.words: row.kind for row in (*JOINS, *OPERATORS)}
    pages |= {name.upper(): "aggregates" for name in AGGREGATES}
    pages[MATCH.words] = "match_recognize"
    for window in WINDOWS:
        pages[f"WINDOW BY {window.words}"] = f"window_{window.kind}"
        pages.setdefault(window.words, f"window_{window.kind}")
    for clause in CLAUSES:
        pages |= _choice_pages(clause.arguments, pages[clause.words])
    return pages | {row.words: "advance_time" for row in SETTINGS} | _choice_pages(SETTINGS, "advance_time")


def _choice_pages(rows: Iterable[ArgumentRow], page: str) -> dict[str, str]:
    return {f"{row.words} {each.words.upper()}": page for row in rows for each in row.choices}


def browser_words() -> str:
    """Return the content of `frontend/src/generated/sqlWords.ts`."""
    coloured = KEYWORDS - {name.upper() for name in AGGREGATES}
    return (
        "/** Written by `python -m streaming.definition.sql.grammar.browser`; do not edit. */\n\n"
        "/** Words that are coloured as keywords. */\n"
        f"{_words('SQL_KEYWORDS', coloured)}\n"
        "/** Words that are names only in backticks. */\n"
        f"{_words('SQL_NAMES_IN_BACKTICKS', IN_BACKTICKS)}\n"
        "/** The page of the guide for each sequence of words. */\n"
        f"{_pages()}\n"
        f"{_WINDOW_WORDS}"
        f"{_windows()}"
    )


def _words(name: str, words: Iterable[str]) -> str:
    listed = "".join(f"  {json.dumps(word.lower())},\n" for word in sorted(words))
    return f"export const {name}: readonly string[] = [\n{listed}];\n"


def _pages() -> str:
    listed = "".join(f"  [{json.dumps(words.lower())}, {json.dumps(page)}],\n" for words, page in _sorted_pages())
    return f"export const SQL_PAGES: readonly (readonly [string, string])[] = [\n{listed}];\n"


def _windows() -> str:
    listed = "".join(f"  {json.dumps(row.kind)}: {json.dumps(_window(row))},\n" for row in WINDOWS)
    return f"export const WINDOW_WORDS: Readonly<Record<string, WindowWords>> = {{\n{listed}}};\n"


def _window(row: WindowRow) -> dict[str, object]:
    further = (each.summary for each in (*row.arguments, *row.options) if each.summary)
    return {"choice": row.choice, "example": row.example_fields, "summary": [row.summary, *dict.fromkeys(further)]}


def _sorted_pages() -> list[tuple[str, str]]:
    return sorted(word_pages().items())


if __name__ == "__main__":
    FILE.write_text(browser_words())
