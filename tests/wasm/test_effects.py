"""Detection of functions that leave no trace in their instance."""

import pytest

from streaming.wasm.effects import UnreadableModule, sections, writing_exports
from tests.wasm.modules import binary

HARMLESS = {
    "arithmetic": "(f64.mul (local.get 0) (f64.const 2))",
    "a constant of 32 bits": "(f64.promote_f32 (f32.const 1.5))",
    "whole constants": "(f64.convert_i64_s (i64.add (i64.const -5000000000) (i64.extend_i32_s (i32.const -70000))))",
    "a load": "(f64.load offset=300 (i32.const 8))",
    "a global that is read": "(global.get $g)",
    "a local that is set": "(local.set 0 (f64.const 1)) (local.tee 0 (f64.const 2))",
    "a branch": "(block (result f64) (br 0 (local.get 0)))",
    "a table of branches": "(block (block (block (br_table 0 1 0 (i32.const 300)))) ) (local.get 0)",
    "a loop with a test": "(loop (br_if 0 (i32.const 0))) (local.get 0)",
    "a choice": "(if (result f64) (i32.const 1) (then (local.get 0)) (else (f64.const 0)))",
    "a selection": "(select (local.get 0) (f64.const 0) (i32.const 1))",
    "a selection with its type": "(select (result f64) (local.get 0) (f64.const 0) (i32.const 1))",
    "a saturating conversion": "(f64.convert_i32_s (i32.trunc_sat_f64_s (local.get 0)))",
    "an extension of a sign": "(f64.convert_i32_s (i32.extend8_s (i32.const 200)))",
    "the size of memory": "(f64.convert_i32_u (memory.size))",
    "a call of such a function": "(call $harmless (local.get 0))",
    "a trap": "(unreachable)",
    "an early return": "(return (local.get 0)) (drop (nop (i32.const 1))) (f64.const 1)".replace(
        "(nop (i32.const 1))", "(i32.const 1)"
    ),
}
WRITING = {
    "a store": "(f64.store (i32.const 0) (local.get 0)) (local.get 0)",
    "a store of a byte": "(i32.store8 (i32.const 0) (i32.const 1)) (local.get 0)",
    "a global": "(global.set $g (local.get 0)) (local.get 0)",
    "growing memory": "(drop (memory.grow (i32.const 1))) (local.get 0)",
    "filling memory": "(memory.fill (i32.const 0) (i32.const 1) (i32.const 8)) (local.get 0)",
    "copying memory": "(memory.copy (i32.const 0) (i32.const 1) (i32.const 8)) (local.get 0)",
    "initialising memory": "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 1)) (local.get 0)",
    "dropping data": "(data.drop $d) (local.get 0)",
    "setting an element": "(table.set $t (i32.const 0) (ref.null func)) (local.get 0)",
    "growing a table": "(drop (table.grow $t (ref.null func) (i32.const 1))) (local.get 0)",
    "filling a table": "(table.fill $t (i32.const 0) (ref.null func) (i32.const 1)) (local.get 0)",
    "an indirect call": "(call_indirect $t (param f64) (result f64) (local.get 0) (i32.const 0))",
    "a vector": "(drop (i32x4.splat (i32.const 1))) (local.get 0)",
    "a call of a function that calls one that writes": "(call $indirectly (local.get 0))",
    "a write in a branch that is never taken": "(if (i32.const 0) (then (global.set $g (f64.const 1)))) (local.get 0)",
}


def module(body: str) -> bytes:
    return binary(f"""(module
      (memory 1)
      (table $t 2 funcref)
      (global $g (mut f64) (f64.const 0))
      (data $d "x")
      (elem (i32.const 0) $writes)
      (func $harmless (param f64) (result f64) (local.get 0))
      (func $writes (param f64) (result f64) (global.set $g (local.get 0)) (local.get 0))
      (func $indirectly (param f64) (result f64) (call $writes (local.get 0)))
      (func (export "f") (param f64) (result f64) (local i32 i64 f32 f64) {body}))""")


@pytest.mark.parametrize("name", HARMLESS)
def test_a_function_that_leaves_no_trace(name: str) -> None:
    assert writing_exports(module(HARMLESS[name])) == frozenset()


@pytest.mark.parametrize("name", WRITING)
def test_a_function_that_may_leave_a_trace(name: str) -> None:
    assert writing_exports(module(WRITING[name])) == {"f"}


def test_functions_that_call_each_other_are_examined_once() -> None:
    text = """(module
      (func $a (export "a") (param i64) (result i64) (call $b (local.get 0)))
      (func $b (export "b") (param i64) (result i64) (call $a (local.get 0))))"""
    assert writing_exports(binary(text)) == frozenset()


@pytest.mark.parametrize(
    "content", [b"", b"\0asm\2\0\0\0", b"PK\x03\x04", b"\0asm\1\0\0\0\x0a\xff\x7f", b"\0asm\1\0\0\0\1"]
)
def test_bytes_that_are_no_module(content: bytes) -> None:
    with pytest.raises(UnreadableModule):
        sections(content)
