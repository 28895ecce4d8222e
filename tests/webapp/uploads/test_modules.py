"""An uploaded module in WebAssembly: examined, kept by its hash, and called by queries of its organisation alone."""

import hashlib
from pathlib import Path
from typing import Any

import pytest
from wasmtime import wat2wasm

from tests.webapp.conftest import Person
from tests.webapp.uploads.bringing import brought, finished, uploaded

DOUBLE = bytes(
    wat2wasm('(module (func (export "twice") (param i64) (result i64) (i64.shl (local.get 0) (i64.const 1))))')
)
HASH = hashlib.sha256(DOUBLE).hexdigest()


def text(export: str = "twice", module: str = HASH) -> str:
    return (
        f"FUNCTION twice(x long) RETURNS long MODULE '{module}' EXPORT '{export}';\n"
        "INSERT INTO out SELECT STREAM twice(v) AS v FROM meters;"
    )


def codes(person: Person, sql: str) -> list[str]:
    """Return the codes of the errors about functions."""
    answered = person.post("queries/validate/", {"text": sql})
    assert answered.status_code == 200, answered.content
    return [each["code"] for each in answered.json()["faults"] if each["field"] and "functions" in each["field"]]


def test_a_module_is_listed_with_its_hash_and_exports(alice: Person) -> None:
    assert brought(alice, "twice", DOUBLE) == "twice.wasm"
    (listed,) = alice.get("files/").json()["files"]
    assert listed["module"] == {
        "hash": HASH,
        "functions": [{"name": "twice", "parameters": ["i64"], "results": ["i64"]}],
    }


def test_a_file_of_rows_has_no_module(alice: Person) -> None:
    brought(alice, "cars.csv")
    assert alice.get("files/").json()["files"][0]["module"] is None


def test_a_query_is_checked_against_the_modules_of_its_organisation(alice: Person, charlie: Person) -> None:
    assert codes(alice, text()) == ["unknown_module"]
    brought(alice, "twice.wasm", DOUBLE)
    assert codes(alice, text()) == []
    assert codes(alice, text(export="thrice")) == ["unknown_export"]
    assert codes(charlie, text()) == ["unknown_module"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "00", "é" * 64])
def test_a_hash_names_no_other_file(alice: Person, name: str) -> None:
    answered = alice.post("queries/validate/", {"text": text(module=name)})
    assert "bad_shape" in [each["code"] for each in answered.json()["faults"]]


def test_a_deleted_file_leaves_its_module_to_queries(alice: Person) -> None:
    brought(alice, "twice.wasm", DOUBLE)
    assert alice.client.delete(alice.url("files/?path=twice.wasm")).status_code == 204
    assert alice.get("files/").json()["files"] == []
    assert codes(alice, text()) == []


def test_the_bytes_are_kept_for_the_runner(alice: Person, tmp_path: Path) -> None:
    brought(alice, "twice.wasm", DOUBLE)
    assert (tmp_path / str(alice.organisation.pk) / "modules" / f"{HASH}.wasm").read_bytes() == DOUBLE


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("m.wasm", b"\0asm\1\0\0\0\x0a\xff\x7f", "is not a WebAssembly module"),
        ("m.wasm", bytes(wat2wasm('(module (import "wasi" "clock" (func)))')), "imports wasi.clock"),
        ("m.wasm", bytes(wat2wasm("(module (memory 1 1 shared))")), "threads"),
        ("m.wasm", b"\0asm" + bytes(1 << 20), "the most are 1,048,576"),
        ("m.csv", DOUBLE, "ending"),
        ("rows.wasm", b"a,b\n1,2\n", "ending"),
    ],
)
def test_a_file_that_is_no_module_is_refused(alice: Person, name: str, content: bytes, words: str) -> None:
    answered: Any = finished(alice, uploaded(alice, name, content))
    assert answered.status_code == 422
    assert words in answered.json()["message"]
    assert alice.get("files/").json()["files"] == []


def test_a_simulation_calls_a_module(alice: Person, charlie: Person) -> None:
    brought(alice, "twice.wasm", DOUBLE)
    body = {
        "text": text(),
        "streams": {"meters": {"shape": "point", "fields": {"v": "long"}, "advance": {"late": "drop"}}},
        "sample": {"rows": [{"stream": "meters", "start": 1, "payload": {"v": 21}}]},
    }
    answered = alice.post("queries/simulate/", body)
    assert answered.status_code == 200, answered.content
    assert '"v": 42' in answered.content.decode().replace('"v":42', '"v": 42')
    refused = charlie.post("queries/simulate/", body)
    assert refused.status_code == 422
    assert [each["code"] for each in refused.json()["faults"]] == ["unknown_module"]
