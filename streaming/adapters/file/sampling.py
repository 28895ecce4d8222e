"""Samples records of files before a stream is defined: whole records from the beginning, the middle and the end.

- A single uncompressed text file: three stretches.
- A compressed or rewritten one: the beginning, because later places need all earlier data unpacked.
- Parquet: the first rows of the first, the middle and the last row group.
- Several files: the beginning of the first, the middle and the last in order of arrival.

Text is read by the reader that runs use (`text_form`), in the dialect detected in the first file (`sniffing`).
"""

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from streaming.adapters.contract import AdapterError, RecordSample, RecordSpan
from streaming.adapters.file.found import FoundFile, format_of
from streaming.adapters.file.options import FileOptions
from streaming.adapters.file.parquet import opened, refuse_twice, refuse_unsuited
from streaming.adapters.file.sniffing import SniffedFile, sniffed
from streaming.adapters.file.text_form import TextForm
from streaming.adapters.formats.parquet.sampling import first_rows, typed_columns
from streaming.adapters.formats.text.split import MAX_RECORD_BYTES, Split
from streaming.adapters.places import why
from streaming.definition.payload.reading import read_object
from streaming.definition.payload.type_text import parse_type

STRETCHES: Final = 3
SNIFFED_BYTES: Final = (1 << 16, 1 << 20)
"""The least and the most bytes from which the dialect is detected."""
_MOST_GROUPS: Final = 100
"""The most row groups of a file that is read whole."""
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
"""Half of a character in a JSON name, which can't be written out."""


@dataclass
class _Stretches:
    """The stretches read from text files; `most_records` and `most_bytes` apply to each stretch."""

    form: TextForm
    most_records: int
    most_bytes: int
    spans: list[RecordSpan] = field(default_factory=list)
    columns: dict[str, None] = field(default_factory=dict)
    unreadable: int = 0
    whole: bool = True
    rows: int | None = None


@dataclass(frozen=True)
class _Stretch:
    """Records of a block: those in `cut`; the first of them is row `first` of its file (None if not counted)."""

    where: str
    block: bytes
    split: Split
    cut: tuple[int, int]
    first: int | None


def sample_files(files: Sequence[FoundFile], options: FileOptions, most_records: int, most_bytes: int) -> RecordSample:
    """Return records of `files`, which are in order of arrival. Raises `AdapterError` for unreadable files."""
    filled = [file for file in files if file.size]
    if not filled:
        raise AdapterError("These files are empty. Add data first.")
    chosen = [filled[at] for at in sorted({0, len(filled) // 2, len(filled) - 1})]
    kinds = {format_of(file.path, options) for file in chosen}
    if len(kinds) > 1:
        raise AdapterError(
            f"The files have several formats ({', '.join(sorted(kinds))}). Set a pattern that matches only one format."
        )
    whole = len(chosen) == len(filled)
    if kinds == {"parquet"}:
        return _of_parquet(chosen, most_records, whole=whole)
    found = sniffed_file(chosen[0], options, most_bytes // (4 * STRETCHES))
    form = TextForm(found.form, found.options)
    read = _Stretches(form, most_records // STRETCHES, most_bytes // STRETCHES, whole=whole)
    for file in chosen:
        _read_text(file, read, alone=len(chosen) == 1)
    return RecordSample(
        spans=read.spans,
        columns=list(read.columns),
        whole=read.whole,
        texts=found.form == "csv",
        unreadable=read.unreadable,
        options=found.changes(options),
        notes=found.notes,
        marks=found.options.dialect.marks,
        rows=read.rows if whole else None,
    )


def sniffed_file(file: FoundFile, options: FileOptions, most_bytes: int = SNIFFED_BYTES[1]) -> SniffedFile:
    """Detect the dialect of a text file. Raises `AdapterError`."""
    form = format_of(file.path, options)
    most = min(max(most_bytes, SNIFFED_BYTES[0]), SNIFFED_BYTES[1])
    try:
        with file.open() as handle:
            content = handle.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise AdapterError(f"The file '{file.path}' can't be read ({why(error)}). Replace it.") from None
    return sniffed(file, form, options, content[:most], whole=len(content) <= most)


def _read_text(file: FoundFile, read: _Stretches, *, alone: bool) -> None:
    budget = STRETCHES * read.most_bytes if alone else read.most_bytes
    try:
        with read.form.open(file) as handle:
            head = read.form.head_of(handle, file.path)
            handle.seek(head.begin.offset)
            content = handle.read(budget + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise AdapterError(f"The file '{file.path}' can't be read ({why(error)}). Replace it.") from None
    read.columns.update(dict.fromkeys(head.columns))
    last = len(content) <= budget
    packed = file.path.endswith((".gz", ".zst")) or not read.form.is_stored_so
    split = read.form.split(content, last)
    count = len(split.starts)
    most = STRETCHES * read.most_records if alone else read.most_records
    if last and count > most and alone:
        read.whole, read.rows = False, count
        for low in (0, (count - read.most_records) // 2, count - read.most_records):
            cut = (low, low + read.most_records)
            words = f"rows {cut[0] + 1:,} to {cut[1]:,} of the {count:,} of {file.path}"
            _take(read, _Stretch(words, content, split, cut, cut[0] + 1), head.columns)
        return
    if last or packed or not alone:
        read.whole &= last and count <= most
        words = f"all of {file.path}" if last and count <= most else f"the first {min(count, most):,} of {file.path}"
        _take(read, _Stretch(words, content, split, (0, most), 1), head.columns)
        return
    read.whole = False
    _three_stretches(file, read, head.columns, (head.begin.offset, content))


def _three_stretches(file: FoundFile, read: _Stretches, columns: list[str], begun: tuple[int, bytes]) -> None:
    """Take the beginning, the middle and the end of a file that is too large to count its records."""
    offset, content = begun
    size, most = read.most_bytes, read.most_records
    split = read.form.split(content[:size], False)
    count = len(split.starts)
    if count:
        read.rows = -int((file.size - offset) // (split.consumed / count))
    _take(
        read, _Stretch(f"the first {min(count, most):,} of {file.path}", content[:size], split, (0, most), 1), columns
    )
    for where, at in (("in the middle", (file.size - size) // 2), ("at the end", file.size - size)):
        block = _content(file, read.form, at, size)
        begin = block.find(b"\n") + 1  # the part before it is the rest of a record
        block = block[begin:] if begin else b""
        split = read.form.split(block, False)
        taken = min(len(split.starts), most)
        _take(read, _Stretch(f"{taken:,} {where} of {file.path}", block, split, (0, most), None), columns)


def _content(file: FoundFile, form: TextForm, at: int, size: int) -> bytes:
    try:
        with form.open(file) as handle:
            handle.seek(at)
            return handle.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise AdapterError(f"The file '{file.path}' can't be read ({why(error)}). Replace it.") from None


def _take(read: _Stretches, stretch: _Stretch, columns: list[str]) -> None:
    """Add the records of a stretch to `read`."""
    block, split, (low, high) = stretch.block, stretch.split, stretch.cut
    if not len(split.starts) and len(block) > MAX_RECORD_BYTES:
        raise AdapterError(
            f"In {stretch.where}, no row ends within {MAX_RECORD_BYTES:,} bytes. Use a file with one row per line."
        )
    found: list[Mapping[str, Any]] = []
    numbers: list[int] = []
    bounds = zip(split.starts.tolist(), split.ends.tolist(), split.broken.tolist(), strict=True)
    for at, (start, end, broken) in enumerate(list(bounds)[low:high]):
        record = None if broken else _record(block[start:end], columns, read.form)
        if record is None:
            read.unreadable += 1
            continue
        found.append(record)
        if stretch.first is not None:
            numbers.append(stretch.first + at)
        if read.form.form != "csv":
            read.columns.update(dict.fromkeys(name for name in record if not _SURROGATE.search(name)))
    read.spans.append(RecordSpan(stretch.where, found, numbers=numbers))


def _record(written: bytes, header: Sequence[str], form: TextForm) -> Mapping[str, Any] | None:
    if form.form != "csv":
        return read_object(written)
    try:
        cells = form.cells.of_row(written.decode(), len(header))
    except UnicodeDecodeError:
        return None
    return None if cells is None else {name: cell or None for name, cell in zip(header, cells, strict=True)}


def _of_parquet(files: Sequence[FoundFile], most_records: int, *, whole: bool) -> RecordSample:
    spans: list[RecordSpan] = []
    with opened(files[0]) as first:
        types, notes = typed_columns(first.schema_arrow)
    for file in files:
        spans += _groups_of(file, types, (most_records // STRETCHES, len(files) == 1))
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


def _groups_of(found: FoundFile, types: Mapping[str, str], how: tuple[int, bool]) -> Iterator[RecordSpan]:
    most, alone = how
    with opened(found) as file:
        schema = file.schema_arrow
        missing = [name for name in types if name not in schema.names]
        if missing:
            raise AdapterError(
                f"The file '{found.path}' has no column '{missing[0]}', but other files do. Add it, "
                "or set a pattern that excludes the file."
            )
        for name, of in types.items():
            refuse_twice(name, schema, found.path)
            refuse_unsuited(name, schema.field(name).type, parse_type(of), (found.path, "in other files it"))
        groups = range(file.metadata.num_row_groups)
        few = alone and file.metadata.num_rows <= STRETCHES * most and len(groups) <= _MOST_GROUPS
        chosen = list(groups) if few else sorted({0, len(groups) // 2, len(groups) - 1} if alone else {0})
        for group in chosen if groups else ():
            rows = STRETCHES * most if few or len(chosen) == 1 else most
            yield first_rows(file, group, types, rows, f"row group {group + 1} of {len(groups)} of {found.path}")
