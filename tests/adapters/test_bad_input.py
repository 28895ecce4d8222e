"""Malicious input between harmless rows: it goes to quarantine, and its neighbours are read."""

from pathlib import Path

import pytest

from streaming.adapters.push.inbox import InboxLimits, PushInbox
from streaming.adapters.registry import input_adapter
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.inputs import POINTS, files, rows, write

GOOD = b'{"ts": 1, "k": "a", "v": 1}'
BAD_JSON = {
    "deep": b'{"ts": 1, "k": ' + b"[" * 100_000,
    "a number of a thousand digits": b'{"ts": 1, "v": ' + b"9" * 1_000 + b"}",
    "a time of a thousand digits": b'{"ts": ' + b"9" * 1_000 + b"}",
    "another charset": '{"ts": 1, "k": "ä"}'.encode("latin-1"),
    "null bytes": b'{"ts": 1, "k": "a\x00b"}',
    "a line of 10 MB": b'{"ts": 1, "v": "' + b"x" * 10_000_000 + b'"}',
}
BAD_CSV = {
    "a number of a thousand digits": b"1,a," + b"9" * 1_000,
    "a time of a thousand digits": b"9" * 1_000 + b",a,1",
    "another charset": "1,ä,1".encode("latin-1"),
    "a line of 10 MB": b"1,a," + b"x" * 10_000_000,
}


@pytest.mark.parametrize("bad", BAD_JSON)
@pytest.mark.parametrize("source", ["a file", "a packed file", "pushed"])
def test_a_bad_line_of_json_is_malformed_and_its_neighbours_are_read(bad: str, source: str, tmp_path: Path) -> None:
    content = b"\n".join([GOOD, BAD_JSON[bad], GOOD, b""])
    if source == "pushed":
        inbox = PushInbox.of(tmp_path / "files", "a")
        inbox.accept(content, 3, batch=None, now=0, limits=InboxLimits(1 << 30, 1))
        found = rows(input_adapter("push", {"inbox": "a"}, POINTS, tmp_path / "files", None))
    else:
        write(tmp_path / ("a.jsonl.gz" if source == "a packed file" else "a.jsonl"), content)
        found = rows(files(tmp_path))
    assert [isinstance(row, MalformedRow) for row in found] == [False, True, False]


@pytest.mark.parametrize("bad", BAD_CSV)
def test_a_bad_line_of_csv_is_malformed_and_its_neighbours_are_read(bad: str, tmp_path: Path) -> None:
    write(tmp_path / "a.csv", b"\n".join([b"ts,k,v", b"1,a,1", BAD_CSV[bad], b"1,a,1", b""]))
    found = rows(files(tmp_path))
    assert [isinstance(row, MalformedRow) for row in found] == [False, True, False]
