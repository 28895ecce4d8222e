"""Records of files before a stream says what they mean: whole ones from the beginning, the middle and the end.

Of one text file that lies there as it is, three stretches are read; of a compressed one, the beginning (nothing behind
it is known without unpacking all before it); of Parquet the first rows of the first, the middle and the last row
group; of several files the beginning of the first, the middle and the last in order of arrival.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa

from streaming.adapters.contract import AdapterError, RecordSample, RecordSpan
from streaming.adapters.file.csv_cells import header_cells, split_cells
from streaming.adapters.file.found import FoundFile, format_of
from streaming.adapters.file.options import FileOptions
from streaming.adapters.file.parquet import opened
from streaming.adapters.file.parquet_sampling import first_rows, typed_columns
from streaming.adapters.file.split import MAX_RECORD_BYTES, Splitter, csv_splitter, split_lines
from streaming.adapters.places import why
from streaming.definition.payload import read_object

STRETCHES: Final = 3
DELIMITERS: Final = (",", ";", "\t", "|")
_MOST_GROUPS: Final = 100
"""Of a file that is read whole."""
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_WIDE: Final = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


@dataclass
class _Stretches:
    """What is read of text files, one stretch after another; `most` is for each of them."""

    options: FileOptions
    most_records: int
    most_bytes: int
    spans: list[RecordSpan] = field(default_factory=list)
    columns: dict[str, None] = field(default_factory=dict)
    unreadable: int = 0
    whole: bool = True

    @property
    def delimiter(self) -> str:
        return self.options.delimiter


def sample_files(files: Sequence[FoundFile], options: FileOptions, most_records: int, most_bytes: int) -> RecordSample:
    """Records of `files`, which are in order of arrival. Raises `AdapterError` for what cannot be read as records."""
    filled = [file for file in files if file.size]
    if not filled:
        raise AdapterError("There is nothing in these files yet; put data there first.")
    chosen = [filled[at] for at in sorted({0, len(filled) // 2, len(filled) - 1})]
    kinds = {format_of(file.path, options) for file in chosen}
    if len(kinds) > 1:
        raise AdapterError(
            f"There are files of several formats ({', '.join(sorted(kinds))}); name a pattern that fits those of one."
        )
    if kinds == {"parquet"}:
        return _of_parquet(chosen, most_records, whole=len(chosen) == len(filled))
    better = _better_delimiter(chosen[0], options) if kinds == {"csv"} else {}
    told = options.model_copy(update=better)
    read = _Stretches(told, most_records // STRETCHES, most_bytes // STRETCHES, whole=len(chosen) == len(filled))
    for file in chosen:
        _read_text(file, read, alone=len(chosen) == 1)
    return RecordSample(
        spans=read.spans,
        columns=list(read.columns),
        whole=read.whole,
        texts=kinds == {"csv"},
        unreadable=read.unreadable,
        options=better,
    )


def _better_delimiter(file: FoundFile, options: FileOptions) -> dict[str, str]:
    """The delimiter that the first line speaks for, where it does not hold the one that is set."""
    line = _beginning(file, MAX_RECORD_BYTES + 1).split(b"\n", 1)[0].decode(errors="replace")
    if options.delimiter in line:
        return {}
    counted = {each: line.count(each) for each in DELIMITERS}
    likeliest = max(counted, key=lambda each: counted[each])
    return {"delimiter": likeliest} if counted[likeliest] else {}


def _beginning(file: FoundFile, most_bytes: int) -> bytes:
    """The first bytes of a text file, unpacked. Raises `AdapterError` for what is no text of one kind."""
    try:
        with file.open() as handle:
            content = handle.read(most_bytes)
    except (OSError, EOFError, zlib.error) as error:
        raise AdapterError(f"The file '{file.path}' cannot be read ({why(error)}); replace it.") from None
    for mark, name in _WIDE:
        if content.startswith(mark):
            raise AdapterError(f"The file '{file.path}' is written in {name}; save it as UTF-8.")
    if b"\x00" in content:
        raise AdapterError(f"The file '{file.path}' holds null bytes, so it is no text; bring CSV, JSON or Parquet.")
    return content


def _read_text(file: FoundFile, read: _Stretches, *, alone: bool) -> None:
    packed = file.path.endswith((".gz", ".zst"))
    budget = STRETCHES * read.most_bytes if alone else read.most_bytes
    content = _beginning(file, budget + 1)
    form = format_of(file.path, read.options)
    header, skip = _header(file, content, read) if form == "csv" else (None, 0)
    last = len(content) <= budget
    if last or packed or not alone:
        most = STRETCHES * read.most_records if alone else read.most_records
        where = f"all of {file.path}" if last else f"the beginning of {file.path}"
        read.whole &= _take(read, where, content[skip:], (header, most, last)) and last
        return
    size = read.most_bytes
    read.whole = False
    _take(read, f"the beginning of {file.path}", content[skip:size], (header, read.most_records, False))
    for where, at in (("middle", (file.size - size) // 2), ("end", file.size - size)):
        block = _stretch(file, at, size)
        begin = block.find(b"\n") + 1  # what comes before is the rest of a record
        _take(read, f"the {where} of {file.path}", block[begin:] if begin else b"", (header, read.most_records, False))


def _stretch(file: FoundFile, at: int, size: int) -> bytes:
    try:
        with file.open() as handle:
            handle.seek(at)
            return handle.read(size)
    except OSError as error:
        raise AdapterError(f"The file '{file.path}' cannot be read ({why(error)}); replace it.") from None


def _header(file: FoundFile, content: bytes, read: _Stretches) -> tuple[list[str], int]:
    """The names in the first line, and where the records begin."""
    line, ended, _ = content.partition(b"\n")
    if len(line) > MAX_RECORD_BYTES:
        raise AdapterError(
            f"The first line of '{file.path}' is longer than {MAX_RECORD_BYTES:,} bytes, so it is no line of names; "
            "bring a file whose rows end with line ends."
        )
    mark = len(_BYTE_ORDER_MARK) if line.startswith(_BYTE_ORDER_MARK) else 0
    names = header_cells(line[mark:].rstrip(b"\r"), read.delimiter)
    if names is None:
        raise AdapterError(
            f"The first line of '{file.path}' cannot be read as names of columns in UTF-8; save the file as UTF-8, "
            "with one line of names at its top."
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise AdapterError(f"The first line of '{file.path}' names {twice[0]!r} twice; name each column once.")
    read.columns.update(dict.fromkeys(names))
    return names, len(line) + len(ended)


def _take(read: _Stretches, where: str, block: bytes, how: tuple[list[str] | None, int, bool]) -> bool:
    """Take the records of `block`; whether all of them were taken."""
    header, most, last = how
    splitter: Splitter = split_lines if header is None else csv_splitter(read.delimiter)
    split = splitter(block, last)
    if not len(split.starts) and len(block) > MAX_RECORD_BYTES:
        raise AdapterError(
            f"In {where} no row ends within {MAX_RECORD_BYTES:,} bytes; bring a file with one row on each line."
        )
    found: list[Mapping[str, Any]] = []
    bounds = zip(split.starts.tolist(), split.ends.tolist(), split.broken.tolist(), strict=True)
    for start, end, broken in list(bounds)[:most]:
        record = None if broken else _record(block[start:end], header, read.delimiter)
        if record is None:
            read.unreadable += 1
            continue
        found.append(record)
        if header is None:
            read.columns.update(dict.fromkeys(record))
    read.spans.append(RecordSpan(where, found))
    return len(split.starts) <= most


def _record(written: bytes, header: Sequence[str] | None, delimiter: str) -> Mapping[str, Any] | None:
    if header is None:
        return read_object(written)
    try:
        cells = split_cells(written.decode(), delimiter)
    except UnicodeDecodeError:
        return None
    if cells is None or len(cells) != len(header):
        return None
    return {name: cell or None for name, cell in zip(header, cells, strict=True)}


def _of_parquet(files: Sequence[FoundFile], most_records: int, *, whole: bool) -> RecordSample:
    spans: list[RecordSpan] = []
    with opened(files[0]) as first:
        types, notes = typed_columns(first.schema_arrow)
    for file in files:
        spans += _groups_of(file, list(types), (most_records // STRETCHES, len(files) == 1))
    taken = sum(len(span.records) for span in spans)
    return RecordSample(
        spans=spans,
        columns=list(types),
        whole=whole and taken == sum(_rows(file) for file in files),
        types=types,
        notes=notes,
    )


def _rows(found: FoundFile) -> int:
    with opened(found) as file:
        return int(file.metadata.num_rows)


def _groups_of(found: FoundFile, columns: list[str], how: tuple[int, bool]) -> Iterator[RecordSpan]:
    most, alone = how
    with opened(found) as file:
        missing = [name for name in columns if name not in file.schema_arrow.names]
        if missing:
            raise AdapterError(f"The file '{found.path}' has no column '{missing[0]}', which other files have.")
        groups = range(file.metadata.num_row_groups)
        few = alone and file.metadata.num_rows <= STRETCHES * most and len(groups) <= _MOST_GROUPS
        chosen = list(groups) if few else sorted({0, len(groups) // 2, len(groups) - 1} if alone else {0})
        for group in chosen if groups else ():
            rows = STRETCHES * most if few or len(chosen) == 1 else most
            try:
                records = first_rows(file, group, columns, rows)
            except (pa.ArrowException, OSError) as error:
                raise AdapterError(f"The file '{found.path}' cannot be read ({why(error)}); replace it.") from None
            yield RecordSpan(f"row group {group + 1} of {len(groups)} of {found.path}", records)
