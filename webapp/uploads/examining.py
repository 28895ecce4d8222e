"""Detection of an uploaded file's format, from its content and not its name, in a limited process."""

import gzip
import io
import json
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from streaming.adapters.contract import AdapterError
from streaming.adapters.file.found import ZstandardFile
from streaming.adapters.formats.text.encodings import detected_encoding
from streaming.adapters.formats.text.json_document import list_path
from streaming.adapters.formats.text.rewriting import in_utf8
from streaming.adapters.formats.text.split import MAX_RECORD_BYTES
from streaming.adapters.places import why
from streaming.definition.faults import Fault, FaultCode
from streaming.definition.own_functions.modules import MOST_MODULE_BYTES, ModuleDescription
from streaming.wasm.function import BadModule
from webapp.core.errors import fault
from webapp.core.limited.jobs import MIB, Limits, limited
from webapp.uploads import modules  # noqa: F401 # other jobs find stored modules

LIMITS: Final = Limits(cpu_s=20, wall_s=30, memory_bytes=768 * MIB, file_bytes=0)
PROBE_BYTES: Final = 64 * MIB
"""The part of a compressed file that is unpacked to measure its growth."""
MOST_GROWTH: Final = 500
"""The limit of growth of a compressed file; tables grow by 3 to 30, files made to fill disks by 1,000 and more."""
MOST_COLUMNS: Final = 10_000
MIN_PROBE: Final = 16 * MIB
LONGEST_COMPILATION_S: Final = 3
"""Of a module: each worker process of a runner compiles it again."""
_LOOKED_AT: Final = MAX_RECORD_BYTES + 2
_ENDINGS: Final = {
    "csv": (".csv",),
    "json_lines": (".jsonl", ".ndjson", ".json"),
    "json": (".json",),
    "parquet": (".parquet", ".pq"),
    "wasm": (".wasm",),
}
_WORDS: Final = {
    "csv": "CSV",
    "json_lines": "JSON lines",
    "json": "one JSON document",
    "parquet": "Parquet",
    "wasm": "a module in WebAssembly",
}
_PACKED: Final = {"gzip": ".gz", "zstd": ".zst"}
_KNOWN: Final = tuple(each for endings in _ENDINGS.values() for each in endings)
_FOREIGN: Final[Sequence[tuple[bytes, str]]] = (
    (b"PK\x03\x04", "a zip archive or a spreadsheet: unpack it, or save the sheet as CSV, and upload that"),
    (b"7z\xbc\xaf", "a 7-Zip archive: unpack it and upload its content"),
    (b"BZh", "packed with bzip2: unpack it, or pack it with gzip or Zstandard"),
    (b"\xfd7zXZ", "packed with xz: unpack it, or pack it with gzip or Zstandard"),
    (b"%PDF", "a PDF document: upload its table as CSV"),
    (b"ORC", "an ORC file: write it as Parquet"),
    (b"Obj\x01", "an Avro file: write it as Parquet or JSON lines"),
    (b"SQLite format 3", "a SQLite database: export the table as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet or document: save the table as CSV"),
)


@dataclass(frozen=True)
class ExaminedFile:
    """The name with the right ending, and the exports of a module; or the errors for which the file is refused."""

    name: str
    faults: list[Fault] = field(default_factory=list)
    module: ModuleDescription | None = None


class _FileRefusal(Exception):
    """The file is refused; the message is a sentence without its subject, the file."""


@limited("The check of this file", "Upload it in smaller parts.", LIMITS)
def examined(path: str, name: str) -> ExaminedFile:
    """Examine the file at `path`, which was uploaded as `name`."""
    try:
        with Path(path).open("rb", buffering=0) as stored:
            form, packing = _contents(stored)
            named = _named(name, form, packing)
            return ExaminedFile(named, module=_module_in(stored) if form == "wasm" else None)
    except BadModule as wrong:
        return ExaminedFile(name, [fault(FaultCode.BAD_MODULE, f"{name}: {wrong.message}", wrong.remedy, field="file")])
    except _FileRefusal as refused:
        message, _, remedy = f"{name} {refused}".partition(": ")
        remedy = f"{remedy[:1].upper()}{remedy[1:]}." if remedy else "Upload CSV, JSON or Parquet."
        return ExaminedFile(name, [fault(FaultCode.BAD_FILE, f"{message}.", remedy, field="file")])


def _contents(stored: io.FileIO) -> tuple[str, str]:
    """Return the format, and the compression ("" for none)."""
    size = stored.seek(0, io.SEEK_END)
    stored.seek(0)
    head = stored.read(16) or b""
    stored.seek(0)
    if not size:
        raise _FileRefusal("is empty: upload one with rows")
    for mark, words in _FOREIGN:
        if head.startswith(mark):
            raise _FileRefusal(f"is {words}")
    if head.startswith(b"PAR1"):
        _check_parquet(stored, size)
        return "parquet", ""
    if head.startswith(b"\0asm"):
        return "wasm", ""
    packing = "gzip" if head.startswith(b"\x1f\x8b") else "zstd" if head.startswith(b"\x28\xb5\x2f\xfd") else ""
    content = _unpacked(stored, packing) if packing else stored.read(_LOOKED_AT) or b""
    if packing and content.startswith(b"PAR1"):
        raise _FileRefusal("is a compressed Parquet file: upload the Parquet file itself, which compresses its columns")
    return _text_form(content), packing


def _module_in(stored: io.FileIO) -> ModuleDescription:
    stored.seek(0)
    return described(stored.read(MOST_MODULE_BYTES + 1) or b"")


def described(content: bytes) -> ModuleDescription:
    """Return the exports of a module, which is compiled: runners compile it again. Raises `BadModule`."""
    from streaming.wasm.machine import CompiledModule  # large, and the web process compiles nothing

    begun = time.process_time()
    found = CompiledModule(content).description
    if time.process_time() - begun > LONGEST_COMPILATION_S:
        message = f"The module takes more than {LONGEST_COMPILATION_S} s to compile."
        raise BadModule(message, "Divide its functions into smaller ones.")
    return found


def _unpacked(stored: io.FileIO, packing: str) -> bytes:
    """Return the start of a compressed file. Raises `_FileRefusal` if it grows too much."""
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
                    f"grows to more than {MOST_GROWTH} times its size when unpacked, as no table does: upload the "
                    "unpacked file if it is one"
                )
    except (OSError, EOFError, zlib.error, pa.ArrowException) as error:
        raise _FileRefusal(f"is damaged or incomplete ({why(error)}): upload it again") from None
    return beginning[:_LOOKED_AT]


def _check_parquet(stored: io.FileIO, size: int) -> None:
    try:
        about = pq.ParquetFile(stored).metadata
    except MemoryError:
        raise  # Arrow's is an ArrowException as well
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _FileRefusal(f"is not a complete Parquet file ({why(error)}): upload it again") from None
    if about.num_columns > MOST_COLUMNS:
        raise _FileRefusal(f"has more than {MOST_COLUMNS:,} columns: leave out those that are not needed")
    grown = sum(about.row_group(at).total_byte_size for at in range(about.num_row_groups))
    if grown > 2 * MOST_GROWTH * size and grown > PROBE_BYTES:
        raise _FileRefusal(f"claims to grow to {grown // MIB:,} MiB when it is read, as no table does: write it again")


def _text_form(content: bytes) -> str:
    """Return the format of a text, read as the sampler and the runs read it. Raises `_FileRefusal`."""
    try:
        encoding = detected_encoding(content, "it")
    except AdapterError:
        raise _FileRefusal(
            f"contains null bytes (the first is byte {content.index(0):,}), so it is not text: upload CSV or JSON"
        ) from None
    text = b"".join(in_utf8(encoding)(iter([content])))
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    if len(content) == _LOOKED_AT and b"\n" not in text and not text.lstrip().startswith((b"[", b"{")):
        raise _FileRefusal(f"has a first line of more than {MAX_RECORD_BYTES:,} bytes: end each row with a line break")
    begun = text.lstrip()
    first, _, rest = begun.partition(b"\n")
    if not first:
        raise _FileRefusal("contains only empty lines: upload one with rows")
    if first.startswith((b"[", b"{")):
        return _json_form(first, begun, alone=not rest.strip())
    return "csv"


def _json_form(first: bytes, text: bytes, *, alone: bool) -> str:
    """Return whether JSON is one document with a list of records, or lines. Raises `_FileRefusal` if it is neither."""
    lines = _is_object(first)
    if (alone or not lines) and list_path(text) is not None:
        return "json"
    if lines:
        return "json_lines"
    if first.startswith(b"["):
        raise _FileRefusal(
            "is a JSON list of values that are not objects: upload objects, one on each line or in a list"
        )
    raise _FileRefusal(
        "starts like JSON, but its first line is not a whole object, and it has no list of objects: write each object "
        "on one line, or upload one document with a list of them"
    )


def _is_object(first: bytes) -> bool:
    """Return whether the first line is a JSON object."""
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _named(name: str, form: str, packing: str) -> str:
    """Return the name with the ending that its content needs: a wrong one is refused, a missing one is added."""
    stem, ending = name, ""
    for each in _PACKED.values():
        if name.lower().endswith(each):
            stem, ending = name[: -len(each)], each
    packed = _PACKED.get(packing, "")
    if ending and ending != packed:
        raise _FileRefusal(f"is not compressed as its ending {ending} says: correct its ending")
    suffix = Path(stem).suffix.lower()
    words = _WORDS[form]
    if suffix in _KNOWN and suffix not in _ENDINGS[form]:
        raise _FileRefusal(
            f"contains {words}, but its ending names another format: change the ending to {_ENDINGS[form][0]}"
        )
    right = stem if suffix in _ENDINGS[form] else f"{stem}{_ENDINGS[form][0]}"
    return f"{right}{packed}"
