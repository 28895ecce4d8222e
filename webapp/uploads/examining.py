"""What a file that somebody brought holds, told by its content and not by its name, in a limited process."""

import gzip
import io
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from streaming.adapters.file.found import ZstandardFile
from streaming.adapters.file.split import MAX_RECORD_BYTES
from streaming.adapters.places import why
from streaming.definition.faults import Fault, FaultCode
from webapp.core.errors import fault
from webapp.core.limited.jobs import MIB, Limits, limited

LIMITS: Final = Limits(cpu_s=20, wall_s=30, memory_bytes=768 * MIB, file_bytes=0)
PROBE_BYTES: Final = 64 * MIB
"""So much of a packed file is unpacked to see by how much it grows."""
MOST_GROWTH: Final = 500
"""By how much a packed file may grow; tables grow by 3 to 30, files made to fill disks by a thousand and more."""
MOST_COLUMNS: Final = 10_000
MIN_PROBE: Final = 16 * MIB
_LOOKED_AT: Final = MAX_RECORD_BYTES + 2
_ENDINGS: Final = {"csv": (".csv",), "json_lines": (".jsonl", ".ndjson", ".json"), "parquet": (".parquet", ".pq")}
_PACKED: Final = {"gzip": ".gz", "zstd": ".zst"}
_KNOWN: Final = tuple(each for endings in _ENDINGS.values() for each in endings)
_FOREIGN: Final[Sequence[tuple[bytes, str]]] = (
    (b"PK\x03\x04", "a zip archive or a spreadsheet: unpack it, or save the sheet as CSV, and bring that"),
    (b"7z\xbc\xaf", "a 7-Zip archive: unpack it and bring what is inside"),
    (b"BZh", "packed with bzip2: unpack it, or pack it with gzip or Zstandard"),
    (b"\xfd7zXZ", "packed with xz: unpack it, or pack it with gzip or Zstandard"),
    (b"%PDF", "a PDF document: bring the table that it shows as CSV"),
    (b"ORC", "an ORC file: write it as Parquet"),
    (b"Obj\x01", "an Avro file: write it as Parquet or JSON lines"),
    (b"SQLite format 3", "a SQLite database: export the table as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet or document: save the table as CSV"),
)
_OTHER_TEXT: Final = ((b"\xff\xfe", "UTF-16"), (b"\xfe\xff", "UTF-16"))


@dataclass(frozen=True)
class ExaminedFile:
    """What it is called from now on, its name with the right ending; or the faults for which it is not taken."""

    name: str
    faults: list[Fault] = field(default_factory=list)


class _FileRefusal(Exception):
    """It is not taken; the message is a sentence without its subject, the file."""


@limited("Looking at this file", "Bring it in smaller parts.", LIMITS)
def examined(path: str, name: str) -> ExaminedFile:
    """Look at the file at `path`, which came under `name`."""
    try:
        with Path(path).open("rb", buffering=0) as stored:
            return ExaminedFile(_named(name, *_contents(stored)))
    except _FileRefusal as refused:
        message, _, remedy = f"{name} {refused}".partition(": ")
        remedy = f"{remedy[:1].upper()}{remedy[1:]}." if remedy else "Bring CSV, JSON lines or Parquet."
        return ExaminedFile(name, [fault(FaultCode.BAD_FILE, f"{message}.", remedy, field="file")])


def _contents(stored: io.FileIO) -> tuple[str, str]:
    """The format, and how it is packed ("" for not at all)."""
    size = stored.seek(0, io.SEEK_END)
    stored.seek(0)
    head = stored.read(16) or b""
    stored.seek(0)
    if not size:
        raise _FileRefusal("is empty: bring one with rows")
    for mark, words in _FOREIGN:
        if head.startswith(mark):
            raise _FileRefusal(f"is {words}")
    if head.startswith(b"PAR1"):
        _check_parquet(stored, size)
        return "parquet", ""
    packing = "gzip" if head.startswith(b"\x1f\x8b") else "zstd" if head.startswith(b"\x28\xb5\x2f\xfd") else ""
    content = _unpacked(stored, packing) if packing else stored.read(_LOOKED_AT) or b""
    if packing and content.startswith(b"PAR1"):
        raise _FileRefusal(
            "is a Parquet file inside of another packing: bring the Parquet file itself, which packs its columns"
        )
    return _text_form(content), packing


def _unpacked(stored: io.FileIO, packing: str) -> bytes:
    """The beginning of a packed file, which does not grow beyond measure."""
    opened: IO[bytes] | Any = gzip.GzipFile(fileobj=io.BufferedReader(stored)) if packing == "gzip" else None
    file = opened if opened is not None else io.BufferedReader(ZstandardFile(stored))
    beginning, grown = b"", 0
    try:
        while grown < PROBE_BYTES and (block := file.read(MIB)):
            grown += len(block)
            if len(beginning) < _LOOKED_AT:
                beginning += block
            if grown >= MIN_PROBE and grown > MOST_GROWTH * stored.tell():
                raise _FileRefusal(
                    f"grows to more than {MOST_GROWTH} times its size when it is unpacked, as no table does: bring the "
                    "unpacked file if it is one"
                )
    except (OSError, EOFError, zlib.error, pa.ArrowException) as error:
        raise _FileRefusal(f"cannot be unpacked, for it is damaged or cut off ({why(error)}): bring it again") from None
    return beginning[:_LOOKED_AT]


def _check_parquet(stored: io.FileIO, size: int) -> None:
    try:
        about = pq.ParquetFile(stored).metadata
    except (pa.ArrowException, OSError) as error:
        raise _FileRefusal(f"is no complete Parquet file ({why(error)}): bring it again") from None
    if about.num_columns > MOST_COLUMNS:
        raise _FileRefusal(f"has more than {MOST_COLUMNS:,} columns: leave out those that are not needed")
    grown = sum(about.row_group(at).total_byte_size for at in range(about.num_row_groups))
    if grown > 2 * MOST_GROWTH * size and grown > PROBE_BYTES:
        raise _FileRefusal(
            f"says that it grows to {grown // MIB:,} MiB when it is read, as no table does: write it anew"
        )


def _text_form(content: bytes) -> str:
    for mark, name in _OTHER_TEXT:
        if content.startswith(mark):
            raise _FileRefusal(f"is written in {name}: save it as UTF-8")
    if b"\x00" in content:
        raise _FileRefusal(
            f"holds null bytes (the first is byte {content.index(0):,}), so it is no text: bring CSV or JSON"
        )
    whole = content[: content.rfind(b"\n") + 1] if len(content) == _LOOKED_AT else content
    if not whole:
        raise _FileRefusal(f"has a first line of more than {MAX_RECORD_BYTES:,} bytes: end each row with a line end")
    try:
        text = whole.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _FileRefusal(f"is not written in UTF-8 (byte {error.start:,} is none of it): save it as UTF-8") from None
    first = text.lstrip().partition("\n")[0]
    if not first:
        raise _FileRefusal("holds nothing but empty lines: bring one with rows")
    if first.startswith("["):
        raise _FileRefusal("is one JSON list: write each object on a line of its own, without the brackets")
    return "json_lines" if _is_object(first) else "csv"


def _is_object(first: str) -> bool:
    """Whether the first line is a JSON object. Raises `_FileRefusal` where it begins as one and is none."""
    if not first.startswith("{"):
        return False
    try:
        read = isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        read = False
    if not read:
        raise _FileRefusal("begins like JSON, but its first line is no whole object: write each object on one line")
    return True


def _named(name: str, form: str, packing: str) -> str:
    """The name with the ending that its content needs; another ending is refused, none is added."""
    stem, ending = name, ""
    for each in _PACKED.values():
        if name.lower().endswith(each):
            stem, ending = name[: -len(each)], each
    packed = _PACKED.get(packing, "")
    if ending and ending != packed:
        raise _FileRefusal(f"is not packed as its ending {ending} says: name it by what it is")
    suffix = Path(stem).suffix.lower()
    words = {"csv": "CSV", "json_lines": "JSON lines", "parquet": "Parquet"}[form]
    if suffix in _KNOWN and suffix not in _ENDINGS[form]:
        raise _FileRefusal(
            f"holds {words} and is named as if it were something else: let its name end in {_ENDINGS[form][0]}"
        )
    right = stem if suffix in _ENDINGS[form] else f"{stem}{_ENDINGS[form][0]}"
    return f"{right}{packed}"
