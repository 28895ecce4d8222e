"""A runner takes modules from its organisation's folder, by hash, and refuses a run without the right bytes."""

from pathlib import Path
from typing import Any

import pytest
from wasmtime import wat2wasm

from streaming.wasm import function as limits
from streaming.wasm import modules
from streaming.wasm.modules import FOLDER, file_of, hash_of
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import add, rows, states

EVEN = bytes(
    wat2wasm('(module (func (export "even") (param i64) (result i32) (i64.eqz (i64.and (local.get 0) (i64.const 1)))))')
)
SPIN = bytes(wat2wasm('(module (func (export "even") (param i64) (result i32) (loop (br 0)) (i32.const 1)))'))


@pytest.fixture(autouse=True)
def _in_a_new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules, "_CONTENTS", {})
    modules.compiled.cache_clear()


def even(binding: str, content: bytes) -> RunSpec:
    """Return a binding that counts even readings, by a function of a module with this content."""
    raw: dict[str, Any] = spec(binding, "readings.jsonl", where="even(value)").model_dump(mode="json")
    raw["query"]["functions"] = [
        {
            "name": "even",
            "arguments": [{"name": "v", "type": "long"}],
            "returns": "boolean",
            "module": hash_of(content),
            "export": "even",
        }
    ]
    return RunSpec.model_validate(raw)


def begun(home: Path, stored: bytes, content: bytes) -> Loop:
    """Return a carrier with a binding of the module `content`, whose file has `stored`, and with another binding."""
    write_readings(home / "readings.jsonl", 3)
    (home / FOLDER).mkdir()
    if stored:
        file_of(home / FOLDER, hash_of(content)).write_bytes(stored)
    loop = Loop(home)
    add(loop, even("m", content))
    add(loop, spec("built_in", "readings.jsonl", where="value % 2 = 0"))
    return loop


def test_a_module_of_the_organisation_is_called(tmp_path: Path) -> None:
    loop = begun(tmp_path, EVEN, EVEN)
    loop.run()
    assert rows(loop, "m") == rows(loop, "built_in")
    assert rows(loop, "m")[0]


@pytest.mark.parametrize(
    ("stored", "words"), [(b"", "is missing"), (EVEN[:-1], "has been changed")], ids=["missing", "changed"]
)
def test_a_run_without_the_right_bytes_is_refused(tmp_path: Path, stored: bytes, words: str) -> None:
    loop = begun(tmp_path, stored, EVEN)
    state, domain, message = states(loop.run(), "m")[-1]
    assert (state, domain) == ("failed", "user")
    assert words in str(message)
    assert rows(loop, "built_in")[0]


def test_a_function_that_takes_too_much_fuel_ends_its_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_FUEL_AT_ONCE", 15_000_000)
    loop = begun(tmp_path, SPIN, SPIN)
    state, domain, message = states(loop.run(), "m")[-1]
    assert (state, domain) == ("failed", "user")
    assert str(message).startswith("Calls of even in WebAssembly executed more than")
    assert rows(loop, "built_in")[0]
