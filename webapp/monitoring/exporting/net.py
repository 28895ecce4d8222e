"""The rows that count after all changes: the last one of each key, without retracted ones, in bounded memory.

A first pass writes 24 bytes for each row that may be replaced to one of `PARTITIONS` files: a hash of its key, and its
number. Each file is then sorted alone. What stays in memory is a bit for each row, and a hash for each row that a
repair has retracted. Rows with different keys have the same 128-bit hash with a probability of less than 10^-20 for
ten million rows.
"""

import json
from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import numpy as np

from webapp.monitoring.exporting.problems import ExportProblem
from webapp.monitoring.exporting.reading import OutputReader

PARTITIONS: Final = 64
_BUFFERED: Final = 1 << 16
_RECORD: Final = np.dtype([("high", "<u8"), ("low", "<u8"), ("number", "<u8"), ("deleted", "?")])


class NetRows:
    """Decides for each row, by its number in the order of the reader, whether it counts."""

    def __init__(
        self, hidden: "np.ndarray[Any, np.dtype[np.uint8]] | None", retracted: Counter[bytes], rows: int
    ) -> None:
        self._hidden = hidden
        self._retracted = retracted
        self._rows = rows

    def may_count(self, number: int) -> bool:
        """Return whether no later row replaces or retracts row `number` by its key."""
        return self._hidden is None or not int(self._hidden[number >> 3]) & (1 << (number & 7))

    def takes_back(self, row: Mapping[str, Any]) -> bool:
        """Return whether a repair retracted this final row; each retraction applies to one of several equal rows."""
        if not self._retracted or row.get("key") is not None:
            return False
        content = _content(row)
        if not self._retracted[content]:
            return False
        self._retracted[content] -= 1
        return True

    def check(self, rows: int) -> None:
        """Check that the second pass has read as many rows as the first. Raises `ExportProblem`."""
        if rows != self._rows:
            raise ExportProblem(
                "Some of these results were deleted while the export was prepared.", "Request the export again."
            )


def net_rows(reader: OutputReader, scratch: Path) -> NetRows:
    """Read all rows once and return which of them count. Writes temporary files to `scratch`."""
    spill = _Spill(scratch)
    retracted: Counter[bytes] = Counter()
    rows = 0
    for number, line in enumerate(reader.lines()):
        rows = number + 1
        if b'"key"' not in line.content and b'"deleted"' not in line.content:
            continue
        row = line.row()
        key, deleted = row.get("key"), bool(row.get("deleted"))
        if key is not None:
            spill.add(_hash(str(key)), number, deleted=deleted)
        elif deleted:
            retracted[_content(row)] += 1
            spill.add(_hash(f"\0{number}"), number, deleted=True)
    return NetRows(spill.hidden(rows) if spill.used else None, retracted, rows)


class _Spill:
    """Rows by the hash of their key, in files of `scratch`."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._buffers = [bytearray() for _ in range(PARTITIONS)]
        self.used = False

    def add(self, key: bytes, number: int, *, deleted: bool) -> None:
        self.used = True
        place = key[0] % PARTITIONS
        buffer = self._buffers[place]
        buffer += key + number.to_bytes(8, "little") + (b"\1" if deleted else b"\0")
        if len(buffer) > _BUFFERED:
            self._write(place)

    def hidden(self, rows: int) -> "np.ndarray[Any, np.dtype[np.uint8]]":
        """Return a bit for each row: set if it is replaced, or retracts. Removes the files."""
        bits = np.zeros((rows + 7) // 8, np.uint8)
        for place in range(PARTITIONS):
            self._write(place)
            path = self._path(place)
            if not path.exists():
                continue
            numbers = _hidden_numbers(np.fromfile(path, _RECORD))
            np.bitwise_or.at(bits, numbers >> 3, np.left_shift(1, numbers & 7).astype(np.uint8))
            path.unlink()
        return bits

    def _write(self, place: int) -> None:
        buffer = self._buffers[place]
        if buffer:
            with self._path(place).open("ab") as file:
                file.write(buffer)
            buffer.clear()

    def _path(self, place: int) -> Path:
        return self._scratch / f"keys-{place}"


def _hidden_numbers(records: "np.ndarray[Any, Any]") -> "np.ndarray[Any, np.dtype[np.int64]]":
    """Return the numbers of all records but the last of each key; of a last one that deletes too."""
    ordered = records[np.lexsort((records["number"], records["low"], records["high"]))]
    same_as_next = (ordered["high"][:-1] == ordered["high"][1:]) & (ordered["low"][:-1] == ordered["low"][1:])
    is_last = np.append(~same_as_next, np.ones(1, bool))
    hidden: np.ndarray[Any, np.dtype[np.int64]] = ordered["number"][~is_last | ordered["deleted"]].astype(np.int64)
    return hidden


def _hash(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=16).digest()


def _content(row: Mapping[str, Any]) -> bytes:
    """Return a hash of all that a retraction repeats of the row that it retracts."""
    return _hash(json.dumps([row["start"], row["end"], row["payload"]], sort_keys=True))
