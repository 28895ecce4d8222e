"""The words of the language for the browser; `python -m streaming.definition.sql.grammar.browser` writes them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.sql.grammar.clauses import CLAUSES, JOINS, OPERATORS, TIMESTAMP, UNION
from streaming.definition.sql.grammar.rows import ArgumentRow, WindowRow
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
"""Pages of words whose rows name no kind of node; all other clauses are of windows, and WITH and QUERY have none."""


_WINDOW_WORDS: Final = """/** A kind of windows in words. */
export interface WindowWords {
  /** What forms offer it as. */
  readonly choice: string;
  /** The fields of one that can be run as it is. */
  readonly example: Readonly<Record<string, string | number>>;
  /** What a drawing says of it, with fields in braces: the first always, others where their field is said. */
  readonly summary: readonly string[];
}

"""


def word_pages() -> dict[str, str]:
    """The page of the guide for words of the language in capitals, as they follow each other in a text."""
    found = {row.words: "window" for row in CLAUSES} | _PAGES
    found |= {row.words: row.kind for row in (*JOINS, *OPERATORS)}
    found |= {name.upper(): "aggregates" for name in AGGREGATES}
    for window in WINDOWS:
        found[f"WINDOW BY {window.words}"] = f"window_{window.kind}"
        found.setdefault(window.words, f"window_{window.kind}")
    for clause in CLAUSES:
        found |= _chosen(clause.arguments, found[clause.words])
    return found | {row.words: "advance_time" for row in SETTINGS} | _chosen(SETTINGS, "advance_time")


def _chosen(rows: Iterable[ArgumentRow], page: str) -> dict[str, str]:
    return {f"{row.words} {each.words.upper()}": page for row in rows for each in row.choices}


def browser_words() -> str:
    """The file `frontend/src/generated/sqlWords.ts`."""
    coloured = KEYWORDS - {name.upper() for name in AGGREGATES}
    return (
        "/** Written by `python -m streaming.definition.sql.grammar.browser`; do not edit. */\n\n"
        "/** What is coloured as a word of the language. */\n"
        f"{_words('SQL_KEYWORDS', coloured)}\n"
        "/** What is no name unless it stands in backticks. */\n"
        f"{_words('SQL_NAMES_IN_BACKTICKS', IN_BACKTICKS)}\n"
        "/** The page of the guide for words that follow each other. */\n"
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
