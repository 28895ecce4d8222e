"""Modules in WebAssembly in files: exported with the queries that name them, restored in another organisation."""

import hashlib
from base64 import encodebytes
from pathlib import Path
from typing import Any

import pytest
from wasmtime import wat2wasm

from tests.webapp.bundles.bundle import CARS_YAML, applied, apply, exported, places, plan
from tests.webapp.conftest import Person
from tests.webapp.uploads.bringing import brought
from webapp.bundles import modules

MODULE = bytes(wat2wasm('(module (func (export "twice") (param f64) (result f64) local.get 0 local.get 0 f64.add))'))
HASH = hashlib.sha256(MODULE).hexdigest()
PATH = f"modules/{HASH}.wasm"
TEXT = encodebytes(MODULE).decode()
SQL = f"""\
FUNCTION twice(x double) RETURNS double MODULE '{HASH}' EXPORT 'twice';
QUERY doubled;
INSERT INTO out SELECT STREAM twice(speed) AS speed FROM cars;
"""
DEFINITIONS = {
    "streams/cars.yaml": CARS_YAML,
    "queries/doubled.sql": SQL,
    "bindings/watch.yaml": "query: doubled\n",
}
FILES = {**DEFINITIONS, PATH: TEXT}


def simulated(person: Person) -> Any:
    body = {
        "text": SQL,
        "streams": {"cars": {"shape": "point", "fields": {"speed": "double"}, "advance": {"late": "drop"}}},
        "sample": {"rows": [{"stream": "cars", "start": 1, "payload": {"speed": 21.0}}]},
    }
    return person.post("queries/simulate/", body)


def named(text: str, content: bytes) -> dict[str, str]:
    """Return the definitions with another module in place of the valid one."""
    other = hashlib.sha256(content).hexdigest()
    return {path: each.replace(HASH, other) for path, each in DEFINITIONS.items()} | {f"modules/{other}.wasm": text}


def test_an_organisation_is_restored_with_its_modules(alice: Person, charlie: Person, cars_file: str) -> None:
    brought(alice, "twice.wasm", MODULE)
    applied(alice, DEFINITIONS)
    files = exported(alice)
    assert files == FILES
    assert simulated(charlie).status_code == 422
    assert applied(charlie, files) == {
        f"module {HASH}": "create",
        "stream cars": "create",
        "query doubled": "create",
        "binding watch": "create",
    }
    assert exported(charlie) == files
    assert set(applied(charlie, files, prune=True).values()) == {"unchanged"}
    answered = simulated(charlie)
    assert answered.status_code == 200, answered.content
    assert '"speed":42.0' in answered.content.decode().replace(" ", "")


def test_the_runner_finds_the_bytes(charlie: Person, cars_file: str, tmp_path: Path) -> None:
    applied(charlie, FILES)
    assert (tmp_path / str(charlie.organisation.pk) / "modules" / f"{HASH}.wasm").read_bytes() == MODULE


def test_a_plan_lists_the_functions_and_stores_nothing(alice: Person, cars_file: str) -> None:
    planned = plan(alice, FILES)
    assert planned["faults"] == []
    (module,) = [each for each in planned["changes"] if each["kind"] == "module"]
    assert (module["name"], module["action"]) == (HASH, "create")
    assert module["diff"] == f"--- /dev/null\n+++ b/{PATH}\n@@ -0,0 +1,1 @@\n+twice(f64) -> f64\n"
    assert [each[3] for each in places(plan(alice, DEFINITIONS))] == ["unknown_module"]


def test_a_module_without_its_file_is_an_error_at_the_query(charlie: Person, alice: Person, cars_file: str) -> None:
    applied(alice, FILES)
    (fault,) = plan(charlie, DEFINITIONS)["faults"]
    assert (fault["file"], fault["code"]) == ("queries/doubled.sql", "unknown_module")


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        (PATH, "no base64!", "is not in Base64"),
        (PATH, encodebytes(MODULE + b"\0").decode(), "its bytes were changed"),
        ("modules/twice.wasm", TEXT, "not called by the hash"),
        (f"modules/../modules/{HASH}.wasm", TEXT, "not called by the hash"),
        (f"modules/{HASH.upper()}.wasm", TEXT, "not called by the hash"),
    ],
)
def test_a_damaged_file_is_refused(alice: Person, path: str, text: str, words: str, tmp_path: Path) -> None:
    refused = apply(alice, {path: text})
    assert refused.status_code == 422
    (fault,) = refused.json()["faults"]
    assert fault["file"] == path
    assert words in fault["message"]
    assert not list(tmp_path.rglob("*.wasm"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\0asm\1\0\0\0\x0a\xff\x7f", "is not a WebAssembly module"),
        (bytes(wat2wasm('(module (import "wasi" "clock" (func)))')), "imports wasi.clock"),
        (b"\0asm" + bytes(1 << 20), "the most are 1,048,576"),
    ],
)
def test_a_module_is_judged_like_an_uploaded_one(
    alice: Person, cars_file: str, content: bytes, words: str, tmp_path: Path
) -> None:
    refused = apply(alice, named(encodebytes(content).decode(), content))
    assert refused.status_code == 422
    assert any(words in each["message"] for each in refused.json()["faults"])
    assert not list(tmp_path.rglob("*.wasm"))
    assert exported(alice) == {}


def test_modules_have_a_limit_of_their_own(alice: Person) -> None:
    contents = [bytes([number]) * (1 << 20) for number in range(4)]
    files = {f"modules/{hashlib.sha256(each).hexdigest()}.wasm": encodebytes(each).decode() for each in contents}
    faults = plan(alice, files)["faults"]
    assert [each["file"] for each in faults] == sorted(files)
    assert "4,194,304 bytes; the limit is 3,145,728" in faults[-1]["message"]


def test_the_export_of_everything_contains_the_bytes(alice: Person, cars_file: str) -> None:
    assert modules.file_content(PATH, TEXT) == MODULE
    assert modules.file_content("queries/doubled.sql", SQL) == SQL.encode()
