"""Law 14: an own function called twice, in any process, after any other call, answers alike.

Functions are drawn that read and write all state that a module has, trap and run out of fuel; their calls are compared
with the first call in a process of its own.
"""

import json
import subprocess
import sys
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.definition.payload.types import LONG
from streaming.wasm.calls import FunctionCaller
from streaming.wasm.function import FunctionFailed, WasmFunction
from streaming.wasm.modules import provide
from tests.conftest import ROOT
from tests.wasm.modules import binary

STEPS = (
    "(local.set $v (i64.add (local.get $v) (i64.const 7)))",
    "(local.set $v (i64.mul (local.get $v) (local.get 0)))",
    "(local.set $v (i64.xor (local.get $v) (global.get $g)))",
    "(global.set $g (i64.add (global.get $g) (local.get $v)))",
    "(local.set $v (i64.add (local.get $v) (i64.load (i32.const 8))))",
    "(i64.store (i32.const 8) (i64.add (local.get $v) (i64.const 1)))",
    "(i64.store8 (i32.const 3) (local.get $v))",
    "(local.set $v (i64.add (local.get $v) (i64.extend_i32_u (memory.size))))",
    "(drop (memory.grow (i32.const 1)))",
    "(memory.fill (i32.const 0) (i32.wrap_i64 (local.get $v)) (i32.const 64))",
    "(memory.copy (i32.const 4) (i32.const 0) (i32.const 12))",
    "(if (i64.eqz (i64.and (local.get 0) (i64.const 3))) (then (data.drop $d)))",
    "(if (i32.and (i32.wrap_i64 (local.get 0)) (i32.const 1))"
    " (then (memory.init $d (i32.const 8) (i32.const 0) (i32.const 4))))",
    "(if (ref.is_null (table.get (i32.const 0))) (then (local.set $v (i64.sub (local.get $v) (i64.const 3)))))",
    "(table.set (i32.const 0) (ref.func $f))",
    "(drop (table.grow (ref.null func) (i32.const 1)))",
    "(local.set $v (i64.add (local.get $v) (i64.extend_i32_u (table.size))))",
    "(if (i64.gt_s (local.get $v) (i64.const 1000)) (then (unreachable)))",
    "(local.set $i (i64.and (local.get 0) (i64.const 63)))"
    "(loop (if (i64.gt_s (local.get $i) (i64.const 0))"
    " (then (local.set $i (i64.sub (local.get $i) (i64.const 1))) (br 1))))",
)
FUEL = 300
"""Some of the loops use up more than that."""
BODIES = st.lists(st.sampled_from(STEPS), min_size=1, max_size=6)
ARGUMENTS = st.lists(st.integers(-5, 70), min_size=1, max_size=8)


def function(body: list[str]) -> WasmFunction:
    text = f"""(module
      (memory 1) (table 1 funcref) (global $g (mut i64) (i64.const 5)) (data $d "seed") (elem declare func $f)
      (func $f (export "f") (param i64) (result i64) (local $v i64) (local $i i64) {" ".join(body)} (local.get $v)))"""
    return WasmFunction(provide(binary(text)), "f", (LONG,), LONG, FUEL)


def alone(of: WasmFunction, argument: int) -> int | None:
    """Return the result of the first call of a new caller; None if it fails."""
    try:
        found: int = FunctionCaller(of).call([argument])
    except FunctionFailed:
        return None
    return found


def rows(of: WasmFunction, arguments: list[int]) -> list[Any]:
    found = FunctionCaller(of).call_rows([np.array(arguments, np.int64)], len(arguments))
    return [None if failed else int(value) for value, failed in zip(found.values, found.failed, strict=True)]


@settings(max_examples=150)
@given(BODIES, ARGUMENTS)
def test_no_call_depends_on_other_calls(body: list[str], arguments: list[int]) -> None:
    of = function(body)
    first = [alone(of, each) for each in arguments]
    assert rows(of, arguments) == first
    assert rows(of, arguments[::-1]) == first[::-1]
    assert rows(of, arguments + arguments) == first + first


EVERY_STEP = [
    *([each] for each in STEPS),
    *(
        [one, other, "(local.set $v (i64.add (local.get $v) (i64.load (i32.const 8))))"]
        for one in STEPS[3:11]
        for other in STEPS[:4]
    ),
]


def answers() -> list[list[int | None]]:
    return [rows(function(body), list(range(-3, 9))) for body in EVERY_STEP]


def test_another_process_answers_alike() -> None:
    code = "import json; from tests.wasm.test_law_14 import answers; print(json.dumps(answers()))"
    other = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert json.loads(other.stdout) == answers()
