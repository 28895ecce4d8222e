"""An uploaded file: started, sent in parts, continued, checked, and then a file that streams read."""

import gzip
import io
import json
import os
import zipfile
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.webapp.conftest import Person
from tests.webapp.uploads.bringing import CSV, begun, brought, finished, sent, uploaded
from webapp.accounts.limits.quotas import set_limit
from webapp.core.context import organisation_context


def zstandard(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as packed:
        packed.write(content)
    return sink.getvalue().to_pybytes()


def parquet(rows: int = 3) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"ts": list(range(rows)), "plate": ["ZH"] * rows}), sink)
    return sink.getvalue()


def shortly(value: object) -> str:
    """The name of a case; contents differ from one process to the next."""
    return value if isinstance(value, str) else "content"


def zipped() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr("cars.csv", CSV)
    return sink.getvalue()


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(cuts=st.sets(st.integers(1, len(CSV) - 1), max_size=4).map(sorted))
def test_whatever_the_parts_the_file_is_what_was_sent(cuts: list[int], alice: Person, tmp_path: Path) -> None:
    upload = begun(alice, "cars.csv", len(CSV)).json()["id"]
    for begin, end in zip([0, *cuts], [*cuts, len(CSV)], strict=True):
        answered = sent(alice, upload, begin, CSV[begin:end])
        assert answered.status_code == 204
        assert answered.headers["Upload-Offset"] == str(end)
    assert finished(alice, upload, replace=True).json()["path"] == "cars.csv"
    assert (tmp_path / str(alice.organisation.pk) / "files" / "cars.csv").read_bytes() == CSV
    assert alice.get("files/").json()["uploads"] == []


def test_an_upload_continues_after_the_bytes_that_arrived(alice: Person) -> None:
    upload = begun(alice, "cars.csv", len(CSV)).json()["id"]
    sent(alice, upload, 0, CSV[:20])
    asked = alice.client.head(alice.url(f"files/uploads/{upload}/"))
    assert (asked.status_code, asked.headers["Upload-Offset"], asked.headers["Upload-Length"]) == (
        200,
        "20",
        str(len(CSV)),
    )
    again = sent(alice, upload, 0, CSV[:30])
    assert again.status_code == 409
    assert again.json()["message"] == "20 bytes arrived so far, so no chunk can start at 0. Continue from 20."
    early = finished(alice, upload)
    assert (early.status_code, early.json()["message"]) == (
        409,
        f"20 of {len(CSV)} bytes have arrived. Send the rest first.",
    )
    assert sent(alice, upload, 20, CSV[20:]).status_code == 204
    assert finished(alice, upload).status_code == 201
    assert finished(alice, upload).status_code == 404


def test_more_than_was_announced_is_refused_and_leaves_nothing(alice: Person) -> None:
    upload = begun(alice, "cars.csv", 10).json()["id"]
    answered = sent(alice, upload, 0, CSV)
    assert answered.status_code == 409
    assert "The body has more bytes than announced" in answered.json()["message"]
    assert alice.get(f"files/uploads/{upload}/").json()["offset"] == 0


def test_a_disk_that_fills_is_a_sentence_and_leaves_what_was_there(
    alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = begun(alice, "cars.csv", len(CSV)).json()["id"]
    sent(alice, upload, 0, CSV[:20])

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        answered = sent(alice, upload, 20, CSV[20:])
    assert (answered.status_code, answered.json()["code"]) == (507, "storage_full")
    assert alice.get(f"files/uploads/{upload}/").json()["offset"] == 20
    assert sent(alice, upload, 20, CSV[20:]).status_code == 204


def test_two_do_not_write_to_one_upload_at_once(alice: Person, tmp_path: Path) -> None:
    import fcntl

    upload = begun(alice, "cars.csv", len(CSV)).json()["id"]
    content = tmp_path / str(alice.organisation.pk) / "uploads" / upload / "content"
    with content.open("r+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert sent(alice, upload, 0, CSV).json()["code"] == "upload_busy"
    assert sent(alice, upload, 0, CSV).status_code == 204


@pytest.mark.parametrize(
    ("name", "content", "becomes"),
    [
        ("cars.csv", CSV, "cars.csv"),
        ("CARS.CSV", CSV, "CARS.CSV"),
        ("cars.txt", CSV, "cars.txt.csv"),
        ("cars", b'{"a": 1}\n', "cars.jsonl"),
        ("cars.json", b'{"a": 1}\n{"a": 2}\n', "cars.json"),
        ("cars.parquet", parquet(), "cars.parquet"),
        ("cars.csv.gz", gzip.compress(CSV), "cars.csv.gz"),
        ("cars.csv", gzip.compress(CSV), "cars.csv.gz"),
        ("cars.csv.zst", zstandard(CSV), "cars.csv.zst"),
        ("cars.csv", "é;ü\nä;ö\n".encode("latin-1"), "cars.csv"),
        ("cars.csv", CSV.decode().encode("utf-16"), "cars.csv"),
        ("cars.csv", CSV.replace(b"\n", b"\r"), "cars.csv"),
        ("cars.csv", CSV + b"one bad byte \xff,ZH 9\n", "cars.csv"),
        ("cars.csv", CSV * 10 + b"null \x00,ZH 9\n", "cars.csv"),
        ("cars", b'[{"a": 1}]', "cars.json"),
        ("cars.json", b'{"type": "FeatureCollection",\n "features": [\n{"a": 1}]}', "cars.json"),
        ("Autos für Zürich.csv", b"\xef\xbb\xbf" + CSV, "Autos für Zürich.csv"),
    ],
    ids=shortly,
)
def test_the_content_says_what_a_file_is_called(name: str, content: bytes, becomes: str, alice: Person) -> None:
    assert brought(alice, name, content) == becomes


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("cars.zip", zipped(), "is a zip archive or a spreadsheet. Unpack it"),
        ("cars.parquet", CSV, "contains CSV, but its ending names another format"),
        ("cars.csv.gz", CSV, "is not compressed as its ending .gz says"),
        ("cars.csv.gz", gzip.compress(CSV)[:40], "damaged or incomplete"),
        ("cars.csv.zst", zstandard(CSV)[:20], "damaged or incomplete"),
        ("cars.parquet", parquet()[:-4], "not a complete Parquet file"),
        ("cars.csv", b"a,b\n1,\x00\n", "contains null bytes (the first is byte 6)"),
        ("cars.csv", b"x" * 10_000_000, "first line of more than 1,048,576 bytes"),
        ("cars.json", b"[1, 2]", "is a JSON list of values that are not objects"),
        ("cars.json", b'{\n"a": 1\n}', "its first line is not a whole object"),
        ("cars.csv", b"\n\n", "only empty lines"),
        ("bomb.csv.gz", gzip.compress(b"0" * 40_000_000), "more than 500 times its size"),
        ("bomb.csv.zst", zstandard(b"0\n" * 20_000_000), "more than 500 times its size"),
    ],
    ids=shortly,
)
def test_what_is_no_file_of_rows_is_refused_with_a_sentence(
    name: str, content: bytes, words: str, alice: Person, tmp_path: Path
) -> None:
    upload = begun(alice, name, len(content)).json()["id"]
    for begin in range(0, len(content), 4_000_000):
        assert sent(alice, upload, begin, content[begin : begin + 4_000_000]).status_code == 204
    answered = finished(alice, upload)
    assert answered.status_code == 422
    assert words in answered.json()["message"]
    assert str(tmp_path) not in answered.content.decode()
    assert alice.get("files/").json()["files"] == []
    assert alice.get(f"files/uploads/{upload}/").status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a/b.csv",
        "../b.csv",
        ".hidden.csv",
        "_b.csv",
        "b.csv.part",
        "b\x00.csv",
        "b\n.csv",
        "x" * 200,
        " b.csv",
        "b\u202evsc.csv",
        "b\u2028.csv",
    ],
)
def test_a_name_that_cannot_be_one_is_refused_before_any_byte_is_sent(name: str, alice: Person) -> None:
    answered = begun(alice, name, 10)
    assert answered.status_code == 422
    assert answered.json()["faults"][0]["field"] in {"name", "Upload-Metadata"}


@pytest.mark.parametrize(
    "headers", [{}, {"Upload-Length": "x"}, {"Upload-Length": "5", "Upload-Metadata": "filename %"}]
)
def test_an_upload_that_says_too_little_is_refused(headers: dict[str, str], alice: Person) -> None:
    assert alice.client.post(alice.url("files/uploads/"), headers=headers).status_code == 422


def test_a_file_is_replaced_only_by_who_says_so(alice: Person) -> None:
    brought(alice, "cars.csv")
    upload = uploaded(alice, "cars.csv", CSV + b"2026-01-01T00:00:09Z,ZH 4\n")
    refused = finished(alice, upload)
    assert (refused.status_code, refused.json()["code"]) == (409, "file_exists")
    assert finished(alice, upload, replace=True).status_code == 201
    [file] = alice.get("files/").json()["files"]
    assert (file["path"], file["size"]) == ("cars.csv", len(CSV) + 26)


def test_readers_of_a_file_are_listed_and_prevent_its_deletion(alice: Person, cars: dict[str, Any]) -> None:
    [file] = [each for each in alice.get("files/").json()["files"] if each["readers"]]
    assert file["readers"] == [{"id": cars["id"], "name": "cars"}]
    where = alice.url(f"files/?path={file['path']}")
    refused = alice.client.delete(where)
    assert (refused.status_code, refused.json()["code"]) == (409, "in_use")
    assert "is read by cars" in refused.json()["message"]
    assert alice.client.delete(f"{where}&even_if_read=true").status_code == 204
    assert alice.client.delete(where).status_code == 404


def test_a_stream_that_names_a_folder_reads_the_files_in_it(alice: Person) -> None:
    brought(alice, "cars.csv")
    definition = {"fields": {"plate": "string"}, "event_time": {"start": {"column": "seen_at"}}}
    body = {"name": "all", "definition": definition, "adapter": {"kind": "file", "options": {"path": "."}}}
    assert alice.post("streams/", body).status_code == 201
    [file] = alice.get("files/").json()["files"]
    assert [each["name"] for each in file["readers"]] == ["all"]


@pytest.mark.parametrize("path", ["../other/files/x.csv", "/etc/passwd", "", ".", "absent.csv"])
def test_nothing_outside_of_the_folder_can_be_deleted(path: str, alice: Person) -> None:
    assert alice.client.delete(alice.url(f"files/?path={path}")).status_code == 404


def test_an_upload_takes_its_room_when_it_begins(alice: Person) -> None:
    with organisation_context(alice.organisation.pk):
        set_limit("file_bytes", 100)
    upload = begun(alice, "cars.csv", 60).json()["id"]
    refused = begun(alice, "more.csv", 60)
    assert (refused.status_code, refused.json()["code"]) == (409, "over_quota")
    assert "Delete files or cancel uploads" in refused.json()["message"]
    assert alice.get("files/").json()["used"] == 60
    assert alice.client.delete(alice.url(f"files/uploads/{upload}/")).status_code == 204
    assert begun(alice, "more.csv", 60).status_code == 201


def test_an_upload_of_days_ago_makes_room(alice: Person, tmp_path: Path) -> None:
    upload = begun(alice, "cars.csv", 60).json()["id"]
    content = tmp_path / str(alice.organisation.pk) / "uploads" / upload / "content"
    foreign = content.parents[1] / "later" / "content", content.parents[1] / str(uuid4()) / "parts"
    for each in foreign:
        each.parent.mkdir()
        each.touch()
        os.utime(each.parent, (0, 0))
        os.utime(each, (0, 0))
    os.utime(content, (0, 0))
    assert alice.get("files/").json()["uploads"] == []
    assert not content.parent.exists()
    assert all(each.exists() for each in foreign), "no upload as this release makes them"


def test_uploads_and_files_of_others_are_absent(alice: Person, charlie: Person) -> None:
    upload = uploaded(alice, "cars.csv", CSV)
    assert charlie.get(f"files/uploads/{upload}/").status_code == 404
    assert sent(charlie, upload, 0, CSV).status_code == 404
    assert finished(charlie, upload).status_code == 404
    brought(alice, "own.csv")
    assert charlie.get("files/").json()["files"] == []


def test_a_viewer_sees_files_and_brings_none(alice: Person, bob: Person) -> None:
    brought(alice, "cars.csv")
    assert [each["path"] for each in bob.get("files/").json()["files"]] == ["cars.csv"]
    assert begun(bob, "own.csv", 10).status_code == 403


def test_what_was_brought_is_proposed_as_a_stream_that_can_be_made_as_it_is(alice: Person) -> None:
    adapter = {"kind": "file", "options": {"path": brought(alice, "cars.csv")}}
    answer = alice.post("streams/infer/", {"adapter": adapter}).json()
    assert answer["faults"] == []
    proposal = answer["proposal"]
    [time] = proposal["times"]
    assert (time["start"]["column"], time["lateness"]["choices"][-1]["delay"]) == ("seen_at", "5s")
    definition = {
        "fields": {each["name"]: each["type"] for each in proposal["fields"]},
        "event_time": {"start": time["start"]},
        "advance": {"generate": {"every": 10, "delay": "5s", "basis": "max", "final": True}, "late": "drop"},
    }
    made = alice.post("streams/", {"name": "cars", "definition": definition, "adapter": adapter})
    assert made.status_code == 201, made.content
    rows = alice.get(f"streams/{made.json()['id']}/sample/").json()["rows"]
    assert [each["kind"] for each in rows] == ["event"] * 3


def test_an_unreadable_input_gives_its_error(alice: Person) -> None:
    for options, words in (({"path": "absent.csv"}, "There is no file or folder"), ({"pat": "x"}, "path")):
        answer = alice.post("streams/infer/", {"adapter": {"kind": "file", "options": options}}).json()
        assert answer["proposal"] is None
        assert words in json.dumps(answer["faults"])
