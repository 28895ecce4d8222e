"""The words of the language for the browser; `python -m streaming.definition.sql.grammar.browser` writes them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.sql.grammar.words import IN_BACKTICKS, KEYWORDS

FILE: Final = Path("frontend/src/generated/sqlWords.ts")


def browser_words() -> str:
    """The file `frontend/src/generated/sqlWords.ts`."""
    coloured = KEYWORDS - {name.upper() for name in AGGREGATES}
    return (
        "/** Written by `python -m streaming.definition.sql.grammar.browser`; do not edit. */\n\n"
        "/** What is coloured as a word of the language. */\n"
        f"{_words('SQL_KEYWORDS', coloured)}\n"
        "/** What is no name unless it stands in backticks. */\n"
        f"{_words('SQL_NAMES_IN_BACKTICKS', IN_BACKTICKS)}"
    )


def _words(name: str, words: Iterable[str]) -> str:
    listed = "".join(f"  {json.dumps(word.lower())},\n" for word in sorted(words))
    return f"export const {name}: readonly string[] = [\n{listed}];\n"


if __name__ == "__main__":
    FILE.write_text(browser_words())
