"""Bytes that are refused as a module, each with a reason and a remedy."""

from contextlib import suppress

import pytest

from streaming.definition.own_functions.modules import MOST_MODULE_BYTES
from streaming.wasm.function import BadModule
from streaming.wasm.machine import CompiledModule
from tests.wasm.modules import binary

REFUSED = {
    '(module (import "env" "now" (func (result i64))))': "imports env.now",
    '(module (import "env" "memory" (memory 1)))': "imports env.memory",
    "(module (memory 1 1 shared))": "threads",
    "(module (memory i64 1))": "memory64",
    "(module (memory 1) (memory 1))": "memories",
    "(module (func (result v128) (i8x16.relaxed_swizzle (v128.const i64x2 0 0) (v128.const i64x2 0 0))))": "relaxed",
    "(module (tag))": "exceptions",
    "(module (type (struct)))": "",
    "(module (func $f) (start $f))": "start function",
    "(module (memory 257))": "16 MiB",
    '(module (memory 1) (data (i32.const 65536) "x"))': "out of bounds",
    "(module (table 10001 funcref))": "10001",
    "(module (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref))": "table",
}


@pytest.mark.parametrize("text", REFUSED)
def test_a_module_that_is_refused(text: str) -> None:
    with pytest.raises(BadModule) as refused:
        CompiledModule(binary(text))
    assert REFUSED[text] in refused.value.message
    assert refused.value.message.endswith(".")
    assert refused.value.remedy.endswith(".")


def test_a_module_with_too_many_exports() -> None:
    exports = " ".join(f'(export "f{number}" (func $f))' for number in range(1_001))
    with pytest.raises(BadModule, match="1,001"):
        CompiledModule(binary(f"(module (func $f) {exports})"))


def test_a_file_that_is_no_module() -> None:
    with pytest.raises(BadModule, match="is not a WebAssembly module"):
        CompiledModule(b"GIF89a")


def test_a_module_that_is_cut_off() -> None:
    content = binary('(module (func (export "f") (param i64) (result i64) (local.get 0)))')
    for end in range(8, len(content)):
        with suppress(BadModule):  # without its last sections, it may be a module without functions
            assert CompiledModule(content[:end]).description.functions == []


def test_a_module_that_is_too_large() -> None:
    content = binary(f'(module (memory 16) (data (i32.const 0) "{"x" * MOST_MODULE_BYTES}"))')
    with pytest.raises(BadModule, match="the most are 1,048,576"):
        CompiledModule(content)


def test_the_largest_memory_is_loaded() -> None:
    assert CompiledModule(binary('(module (memory (export "memory") 256))')).description.memory
