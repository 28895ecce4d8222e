"""The reading of a text file: its format, its bytes, its record boundaries. Sampler and runs share it."""

import io
import zlib
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Final, Protocol, cast

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.found import FileFormat, FoundFile
from streaming.adapters.file.journal import RecordMark
from streaming.adapters.formats.text.cells import CellSplitter, header_cells
from streaming.adapters.formats.text.dialect import Dialect
from streaming.adapters.formats.text.json_document import document_lines
from streaming.adapters.formats.text.rewriting import Rewriting, RewrittenFile, in_utf8, with_line_feeds
from streaming.adapters.formats.text.split import MAX_RECORD_BYTES, Splitter, csv_splitter, split_lines
from streaming.adapters.places import why

BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_WIDE: Final = (b"\xff\xfe", b"\xfe\xff")


class TextOptions(Protocol):
    """The options that control how text files are read."""

    @property
    def delimiter(self) -> str:
        """The character between cells."""

    @property
    def dialect(self) -> Dialect:
        """The notation of the text."""


@dataclass(frozen=True)
class TextHead:
    """The columns of a CSV file (empty for JSON), and where its records begin."""

    columns: list[str]
    begin: RecordMark


class TextForm:
    """Reads text files of the format `form` according to `options`."""

    def __init__(self, form: FileFormat, options: TextOptions) -> None:
        self.form = form
        self.delimiter = options.delimiter
        self.dialect = options.dialect
        self.cells = CellSplitter(options.delimiter, options.dialect)

    @cached_property
    def name(self) -> str:
        """A text that identifies this form."""
        return f"{self.form}{self.delimiter}{self.dialect.model_dump_json(exclude_defaults=True)}"

    @cached_property
    def split(self) -> Splitter:
        """Splits blocks of the bytes from `open` into records."""
        if self.form != "csv":
            return split_lines
        escape = b"\\" if self.dialect.escape == "backslash" else b""
        return csv_splitter(self.delimiter, escape, self.dialect.comment.encode())

    @cached_property
    def _rewritings(self) -> tuple[Rewriting, ...]:
        found: list[Rewriting] = []
        if self.dialect.encoding != "utf-8":
            found.append(in_utf8(self.dialect.encoding))
        if self.dialect.line_end == "cr":
            found.append(with_line_feeds)
        if self.form == "json":
            found.append(document_lines(self.dialect.records))
        return tuple(found)

    @property
    def is_stored_so(self) -> bool:
        """True if a file's stored bytes are read unchanged, so that reading may start anywhere."""
        return not self._rewritings

    def open(self, file: FoundFile) -> IO[bytes]:
        """Open a file's bytes in UTF-8, with line feeds. Raises `AdapterError`, `OSError`."""
        if self.is_stored_so:
            return file.open()
        return cast("IO[bytes]", io.BufferedReader(RewrittenFile(file.open, self._rewritings)))

    def head(self, file: FoundFile) -> TextHead:
        """Find the start of the records and the names of the columns. Raises `AdapterError`."""
        try:
            with self.open(file) as handle:
                return self.head_of(handle, file.path)
        except (OSError, EOFError, zlib.error) as error:
            raise AdapterError(f"The file '{file.path}' can't be read ({why(error)}). Replace it.") from None

    def head_of(self, handle: IO[bytes], path: str) -> TextHead:
        """As `head`, for an opened file."""
        line = handle.readline(MAX_RECORD_BYTES + 2)
        if line.startswith(_WIDE):
            raise AdapterError(f"The file '{path}' is written in UTF-16. Choose that as `dialect.encoding`.")
        mark = len(BYTE_ORDER_MARK) if line.startswith(BYTE_ORDER_MARK) else 0
        if self.form != "csv" or not line:
            return TextHead([], RecordMark(row=0, offset=mark))
        offset, line = mark, line[mark:]
        comment = self.dialect.comment.encode()
        passed = 0
        while line and (
            passed < self.dialect.skip_lines or not line.strip(b"\r\n") or (comment and line.startswith(comment))
        ):
            offset, passed = offset + len(line), passed + 1
            line = handle.readline(MAX_RECORD_BYTES + 2)
        if self.dialect.column_names:
            return TextHead(self.dialect.column_names, RecordMark(row=0, offset=offset))
        if not line:
            raise AdapterError(f"The file '{path}' has no header line. Correct the number of skipped lines.")
        return TextHead(self._names(line, path), RecordMark(row=0, offset=offset + len(line)))

    def _names(self, line: bytes, path: str) -> list[str]:
        if len(line.rstrip(b"\r\n")) > MAX_RECORD_BYTES:
            raise AdapterError(
                f"The first line of '{path}' is longer than {MAX_RECORD_BYTES:,} bytes, so it can't be a header line. "
                "Use a file whose rows end with line ends."
            )
        names = header_cells(line.rstrip(b"\r\n"), self.cells)
        if names is None:
            raise AdapterError(
                f"The header line of '{path}' can't be read: its quotes are not closed, or it is not encoded in "
                f"{self.dialect.encoding.upper()}. Correct it, or choose its encoding. Column names must be unique."
            )
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise AdapterError(f"The header line of '{path}' contains {twice[0]!r} twice. Column names must be unique.")
        return names
