"""Detects the dialect of a text file from its beginning, and describes each finding in a sentence.

Options set by the user are kept. Candidates are tried with the reader that runs use (`TextForm`).
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.adapters.file.found import FileFormat, FoundFile
from streaming.adapters.file.options import FileOptions
from streaming.adapters.file.text_form import BYTE_ORDER_MARK, TextForm
from streaming.adapters.formats.text.dialect import Dialect
from streaming.adapters.formats.text.encodings import detected_encoding
from streaming.adapters.formats.text.json_document import list_path
from streaming.adapters.formats.text.number_signs import found_marks, is_value, null_texts
from streaming.adapters.formats.text.rewriting import in_utf8
from streaming.adapters.number_marks import NumberMarks
from streaming.definition.counts import counted

DELIMITERS: Final = (",", ";", "\t", "|")
LOOKED_AT: Final = 1_000
MOST_BEFORE: Final = 100
_SEPARATOR: Final = re.compile(rb'"?sep=([\t -!#-~])"?\r?', re.IGNORECASE)
_COMMENT: Final = b"#"
_OF_ROWS: Final = 0.05
FEWEST_RAGGED: Final = 3
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_NAMED: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
Cells = list[str]


@dataclass
class SniffedFile:
    """The options that fit a file, and a note for each detected option."""

    options: FileOptions
    form: FileFormat
    notes: list[str] = field(default_factory=list)

    def add_finding(self, note: str, **dialect: Any) -> None:
        """Apply a detected option and its note."""
        changed = self.options.dialect.model_copy(update=dialect)
        self.options = self.options.model_copy(update={"dialect": changed})
        self.notes.append(note)

    def changes(self, before: FileOptions) -> dict[str, Any]:
        """The options that differ from `before`."""
        found: dict[str, Any] = {}
        if self.options.delimiter != before.delimiter:
            found["delimiter"] = self.options.delimiter
        if self.options.format != before.format:
            found["format"] = self.options.format
        if self.options.dialect != before.dialect:
            found["dialect"] = self.options.dialect.non_defaults
        return found


def sniffed(file: FoundFile, form: FileFormat, options: FileOptions, content: bytes, *, whole: bool) -> SniffedFile:
    """Inspect `content`, the stored beginning of `file`. Raises `AdapterError` for binary data."""
    found = SniffedFile(options, form)
    if options.dialect.encoding == "utf-8":
        encoding = detected_encoding(content, file.path)
        if encoding != "utf-8":
            found.add_finding(f"The text is written in {encoding.upper()}.", encoding=encoding)
    block = b"".join(in_utf8(found.options.dialect.encoding)(iter([content]))).removeprefix(BYTE_ORDER_MARK)
    if b"\n" not in block and b"\r" in block:
        found.add_finding("Its lines end with carriage returns only.", line_end="cr")
    if found.options.dialect.line_end == "cr":
        block = block.replace(b"\r", b"\n")
    if form == "csv":
        _CsvSniffer(found, block, whole).look()
    elif (form == "json_lines" and options.format == "auto") or (form == "json" and not options.dialect.records):
        _json(found, block)
    return found


def _json(found: SniffedFile, block: bytes) -> None:
    start = block.lstrip()
    lines = [line for line in start.split(b"\n", 2) if line.strip()]
    if start.startswith(b"[") or (start.startswith(b"{") and (len(lines) == 1 or not _ends_as_object(lines[0]))):
        path = list_path(block)
        if path is not None:
            where = f"the list at {path}" if path else "a list"
            found.add_finding(f"The file is one JSON document; its rows are the records of {where}.", records=path)
            found.options = found.options.model_copy(update={"format": "json"})
            found.form = "json"


def _ends_as_object(line: bytes) -> bool:
    return line.rstrip().endswith(b"}")


class _CsvSniffer:
    """Inspects a block of CSV in UTF-8 with line feeds."""

    def __init__(self, found: SniffedFile, block: bytes, whole: bool) -> None:
        self._found = found
        self._block = block
        self._whole = whole

    def look(self) -> None:
        """Detect the options one after another, because each depends on the ones before."""
        lines = self._block.split(b"\n", MOST_BEFORE)
        before = self._lines_before(lines)
        self._delimiter(b"\n".join(lines[before:]))
        self._before(lines, before)
        rows = self._rows(self._block)
        if not rows:
            return
        self._names(rows)
        rows = self._rows(self._block)
        self._ragged(rows)
        if rows[0] is not None:
            self._marks([row for row in rows if row is not None])

    def _dialect(self) -> Dialect:
        return self._found.options.dialect

    def _lines_before(self, lines: Sequence[bytes]) -> int:
        """The number of lines before the table that can be recognised without counting cells."""
        if self._dialect().skip_lines or self._dialect().column_names:
            return self._dialect().skip_lines
        at = 0
        if lines and (separator := _SEPARATOR.fullmatch(lines[0])):
            delimiter = separator[1].decode()
            self._found.options = self._found.options.model_copy(update={"delimiter": delimiter})
            at = 1
        while at < len(lines) - 1 and (not lines[at].strip() or lines[at].startswith(_COMMENT)):
            at += 1
        last = at - 1
        named = at and lines[last].startswith(_COMMENT) and self._is_line_of_names(lines[last], lines[at])
        return last if named else at

    def _is_line_of_names(self, line: bytes, next_line: bytes) -> bool:
        """Return True if a line like `#at,plate` names the cells of the next one."""
        for delimiter in (self._found.options.delimiter, *DELIMITERS):
            names, cells = (
                line.decode(errors="replace").split(delimiter),
                next_line.decode(errors="replace").split(delimiter),
            )
            if len(names) > 1 and len(names) == len(cells):
                return any(map(is_value, cells)) and not any(map(is_value, names[1:]))
        return False

    def _delimiter(self, table: bytes) -> None:
        """Detect the delimiter and escapes with which most rows have as many cells as the first."""
        options = self._found.options
        named = self._block[:5].lower().startswith((b"sep=", b'"sep='))
        delimiters = DELIMITERS if options.delimiter == "," and not named else (options.delimiter,)
        escapes = ["none", "backslash"] if b'\\"' in table else ["none"]
        best, likeliest = 0.0, (options.delimiter, self._dialect().escape)
        for escape in escapes:
            for delimiter in delimiters:
                dialect = Dialect(escape="backslash" if escape == "backslash" else self._dialect().escape)
                counts = [None if row is None else len(row) for row in self._cells(table, delimiter, dialect)]
                if (score := _consistency(counts)) > best + 1e-9:
                    best, likeliest = score, (delimiter, dialect.escape)
        if likeliest[0] != "," or named:
            self._found.notes.append(f"Cells are separated by {_NAMED.get(likeliest[0], repr(likeliest[0]))}.")
        self._found.options = options.model_copy(update={"delimiter": likeliest[0]})
        if likeliest[1] != self._dialect().escape:
            self._found.add_finding("Quotation marks inside cells are escaped with backslashes.", escape=likeliest[1])

    def _before(self, lines: Sequence[bytes], before: int) -> None:
        """Detect lines before the header, and comments between rows."""
        dialect = self._dialect()
        if dialect.skip_lines or dialect.column_names:
            return
        delimiter = self._found.options.delimiter
        counts = [len(row) for row in self._cells(b"\n".join(lines[before:]), delimiter, dialect) if row is not None]
        usual = Counter(counts).most_common(1)[0][0] if counts else 1
        at = before
        while at < len(lines) - 2 and usual > 1:
            cells = lines[at].decode(errors="replace").rstrip("\r").split(delimiter)
            filled = len(cells) - sum(not cell.strip() for cell in cells)
            if lines[at].strip() and min(len(cells), filled + 1) > max(1, usual // 2):
                break
            at += 1
        if any(line.strip() for line in lines[:at]):
            note = "1 line before the header is skipped." if at == 1 else f"{at} lines before the header are skipped."
            self._found.add_finding(note, skip_lines=at)
        between = [line for line in lines[at + 1 :] if line.startswith(_COMMENT)]
        if between and not dialect.comment:
            rows = self._cells(b"\n".join(between), delimiter, dialect)
            if all(row is None or len(row) != usual for row in rows):
                self._found.add_finding("Lines that begin with # are comments.", comment="#")

    def _names(self, rows: Sequence[Cells | None]) -> None:
        """Detect if the first row contains names, or is a row like the others."""
        if self._dialect().column_names or rows[0] is None:
            return
        first, others = rows[0], [row for row in rows[1:] if row is not None]
        typed = [
            at
            for at in range(len(first))
            if (cells := [row[at] for row in others if len(row) > at and row[at]])
            and sum(map(is_value, cells)) >= 0.9 * len(cells)
        ]
        values = [at for at in typed if is_value(first[at])]
        years = all(_YEAR.fullmatch(first[at]) for at in values)
        if typed and len(values) * 3 >= len(typed) * 2 and not (years and len(values) > 1):
            names = [f"column_{number}" for number in range(1, len(first) + 1)]
            self._found.add_finding(
                f"The first line contains values instead of names, so it is read as a row, and the columns are "
                f"called {names[0]} to {names[-1]}. Enter other names under 'Column names'.",
                column_names=names,
            )

    def _ragged(self, rows: Sequence[Cells | None]) -> None:
        width = len(self._dialect().column_names or (rows[0] or []))
        of_rows = [row for row in rows if row is not None]
        other = [row for row in of_rows if len(row) != width]
        filled = [row for row in other if not any(row[width:])]
        if (
            self._dialect().ragged == "quarantine"
            and len(filled) >= max(FEWEST_RAGGED, _OF_ROWS * len(rows))
            and len(filled) == len(other)
        ):
            self._found.add_finding(
                f"{len(filled):,} of {counted(len(rows), 'row')} have fewer than {counted(width, 'column')}, or empty "
                "surplus cells: missing cells are read as null.",
                ragged="fill",
            )

    def _marks(self, rows: Sequence[Cells]) -> None:
        """Detect null values and the number format."""
        dialect = self._dialect()
        body = rows if dialect.column_names else rows[1:]
        width = max(map(len, rows), default=0)
        columns = [[row[at] for row in body if len(row) > at and row[at]] for at in range(width)]
        if not dialect.null_values and (nulls := null_texts(columns)):
            words = ", ".join(map(repr, nulls))
            self._found.add_finding(f"{words} in place of a number or a time is read as null.", null_values=nulls)
        known = frozenset(self._dialect().null_values)
        columns = [[cell for cell in column if cell not in known] for column in columns]
        if dialect.marks != NumberMarks():
            return
        names = dialect.column_names or rows[0]
        marks, note = found_marks(dict(zip(names, columns, strict=False)))
        if marks is not None:
            self._found.add_finding(note, decimal=marks.decimal, thousands=marks.thousands)
        elif note:
            self._found.notes.append(note)

    def _rows(self, block: bytes) -> list[Cells | None]:
        """The cells of the first records, with the options detected so far; the first row is the header."""
        dialect = self._dialect()
        table = block.split(b"\n", dialect.skip_lines)[-1] if dialect.skip_lines else block
        return self._cells(table, self._found.options.delimiter, dialect)

    def _cells(self, table: bytes, delimiter: str, dialect: Dialect) -> list[Cells | None]:
        form = TextForm("csv", self._found.options.model_copy(update={"delimiter": delimiter, "dialect": dialect}))
        split = form.split(table, self._whole)
        bounds = zip(split.starts.tolist(), split.ends.tolist(), split.broken.tolist(), strict=True)
        return [
            None if broken else form.cells.split(table[start:end].decode(errors="replace"))
            for start, end, broken in list(bounds)[:LOOKED_AT]
        ]


def _consistency(counts: Sequence[int | None]) -> float:
    """Score how far the rows agree on a number of cells above one; the first row should have it too."""
    known = [count for count in counts if count is not None]
    if not known:
        return 0.0
    usual, times = Counter(known).most_common(1)[0]
    if usual == 1:
        return 0.0
    first = 1.0 if counts[0] == usual else 0.5
    return times / len(counts) * first * (1 + min(usual, 20) / 1_000)
