"""The cells of a CSV record, and the names in a header line."""

from typing import Final

from streaming.adapters.formats.text.dialect import PLAIN_DIALECT, Dialect


class _EmptyCell(str):
    """An empty cell that is recognised by its identity."""


UNQUOTED_EMPTY: Final = _EmptyCell()
QUOTED_EMPTY: Final = _EmptyCell()


class CellSplitter:
    """Splits records according to `dialect`."""

    def __init__(self, delimiter: str, dialect: Dialect = PLAIN_DIALECT) -> None:
        self._delimiter = delimiter
        self._escape = dialect.escape == "backslash"
        self._nulls = frozenset(dialect.null_values)
        self._fills = dialect.ragged == "fill"

    def of_row(self, text: str, width: int) -> list[str] | None:
        """Return the cells of a row that should have `width` of them; None if the row is malformed."""
        cells = self.split(text)
        if cells is None or len(cells) == width:
            return cells
        if not self._fills or any(cells[width:]):
            return None
        return cells[:width] + [UNQUOTED_EMPTY] * (width - len(cells))

    def split(self, text: str) -> list[str] | None:
        """Return the cells of a record; None if its quotes are ill-formed. An empty cell is one of the two constants
        above.
        """
        if self._escape and "\\" in text:
            return _split_escaped(text, self._delimiter, self._nulls)
        return split_cells(text, self._delimiter, self._nulls)


def header_cells(record: bytes, cells: CellSplitter) -> list[str] | None:
    """Return the names in a header line; None if it can't be read."""
    names = cells.split(record.decode(errors="surrogateescape"))
    return names if names is not None and all(map(is_unicode, names)) else None


def is_unicode(text: str) -> bool:
    """Return True if the whole text was valid UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def split_cells(text: str, delimiter: str, nulls: frozenset[str] = frozenset()) -> list[str] | None:
    """Return the cells of one record; None if its quotes are ill-formed. An empty cell is one of the two constants
    above.

    An unquoted cell that is one of `nulls` counts as empty.
    """
    if '"' not in text:
        return [UNQUOTED_EMPTY if cell in nulls else cell or UNQUOTED_EMPTY for cell in text.split(delimiter)]
    cells: list[str] = []
    at = 0
    while True:
        if text[at : at + 1] == '"':
            close = at + 1
            while text[close : close + 1] != '"' or text[close + 1 : close + 2] == '"':
                if close >= len(text):
                    return None
                close += 2 if text[close] == '"' else 1
            cells.append(text[at + 1 : close].replace('""', '"') or QUOTED_EMPTY)
            end = close + 1
        else:
            found = text.find(delimiter, at)
            end = len(text) if found < 0 else found
            cell = text[at:end]
            if '"' in cell:
                return None
            cells.append(UNQUOTED_EMPTY if cell in nulls else cell or UNQUOTED_EMPTY)
        if end >= len(text):
            return cells
        if text[end] != delimiter:
            return None
        at = end + 1


def _split_escaped(text: str, delimiter: str, nulls: frozenset[str]) -> list[str] | None:
    """As `split_cells`, but a backslash escapes the character after it."""
    cells: list[str] = []
    at = 0
    while True:
        quoted = text[at : at + 1] == '"'
        cell, end = _escaped_cell(text, at + quoted, '"' if quoted else delimiter)
        if cell is None or (quoted and end >= len(text)):
            return None
        if not quoted and text[at:end] in nulls:
            cell = ""
        cells.append(cell or (QUOTED_EMPTY if quoted else UNQUOTED_EMPTY))
        end += quoted
        if end >= len(text):
            return cells
        if text[end] != delimiter:
            return None
        at = end + 1


def _escaped_cell(text: str, at: int, closing: str) -> tuple[str | None, int]:
    """Return the cell at `at` and the index where `closing` or the text ends it; None for a misplaced quote."""
    taken: list[str] = []
    while at < len(text):
        if text[at] == "\\":
            if at + 1 >= len(text):
                return None, at
            taken.append(text[at + 1])
            at += 2
        elif text[at] == closing:
            if closing != '"' or text[at + 1 : at + 2] != '"':
                break
            taken.append('"')
            at += 2
        elif text[at] == '"':
            return None, at
        else:
            taken.append(text[at])
            at += 1
    return "".join(taken), at
