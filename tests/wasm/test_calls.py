"""Calls row by row and in columns give the same; hostile functions fail, and nothing else happens."""

from typing import Any

import numpy as np
import pytest

from streaming.definition.payload.types import BOOLEAN, DOUBLE, LONG, STRING, Array
from streaming.wasm import function as limits
from streaming.wasm.calls import FunctionCaller
from streaming.wasm.function import BadModule, FunctionFailed, TooMuchFuel
from tests.wasm.modules import caller, function

MEMORY = '(memory (export "memory") 1) (func (export "alloc") (param i32) (result i32) (i32.const 1024))'
SPIN = """(module (func (export "f") (param i64) (result i64)
  (loop (if (i64.gt_s (local.get 0) (i64.const 0))
    (then (local.set 0 (i64.sub (local.get 0) (i64.const 1))) (br 1))))
  (local.get 0)))"""
"""Counts down to 0: the fuel grows with the argument."""


def rows(of: FunctionCaller, *columns: Any) -> list[Any]:
    """Return the results in columns; None where a call failed."""
    found = of.call_rows(columns, len(columns[0]))
    return [None if failed else value for value, failed in zip(list(found.values), found.failed, strict=True)]


def one_by_one(of: FunctionCaller, *columns: Any) -> list[Any]:
    found = []
    for values in zip(*columns, strict=True):
        try:
            found.append(of.call(list(values)))
        except FunctionFailed:
            found.append(None)
    return found


def test_a_column_is_longer_than_the_loop_takes_at_once() -> None:
    double = caller(
        '(module (func (export "f") (param i64 f64) (result f64)'
        " (f64.mul (f64.convert_i64_s (local.get 0)) (local.get 1))))",
        *(LONG, DOUBLE),
        returns=DOUBLE,
    )
    numbers = np.arange(20_000)
    assert rows(double, numbers, np.full(20_000, 0.5)) == [each / 2 for each in range(20_000)]


@pytest.mark.parametrize("fuel", [1, 10, 40, 100, 1_000])
def test_fuel_is_that_of_a_call_alone(fuel: int) -> None:
    spin = caller(SPIN, LONG, returns=LONG, fuel=fuel)
    columns = np.array([0, 1, 2, 3, 5, 8, 13, 500, 4, 3, 100, 0, 80, 7])
    found = rows(spin, columns)
    assert found == one_by_one(spin, columns.tolist())
    assert found == [0 if each <= limit(spin) else None for each in columns.tolist()]


def limit(spin: FunctionCaller) -> int:
    """Return the largest argument that a call alone can take: it needs no more fuel for a smaller one."""
    return next(each - 1 for each in range(1_000) if one_by_one(spin, [each]) == [None])


def test_a_trap_in_a_column_concerns_its_row_alone() -> None:
    root = caller(
        '(module (func (export "f") (param i64) (result i64) (i64.div_s (i64.const 100) (local.get 0))))',
        LONG,
        returns=LONG,
    )
    assert rows(root, np.array([0, 1, 0, 0, 5, 0])) == [None, 100, None, None, 20, None]


def test_booleans_are_0_and_1() -> None:
    inverse = caller(
        '(module (func (export "f") (param i32) (result i32) (i32.eqz (local.get 0))))', BOOLEAN, returns=BOOLEAN
    )
    assert rows(inverse, np.array([True, False])) == [False, True]
    assert one_by_one(inverse, [True, False]) == [False, True]


def test_every_nan_of_a_result_is_a_failure() -> None:
    text = '(module (func (export "f") (param i64) (result f64) (f64.reinterpret_i64 (local.get 0))))'
    bits = [0x7FF8000000000000, -1, 0x7FF0000000000001, 0x7FF0000000000000, 0x3FF0000000000000, -(2**63)]
    number = caller(text, LONG, returns=DOUBLE)
    assert rows(number, np.array(bits)) == one_by_one(number, bits) == [None, None, None, None, 1.0, -0.0]


def test_bits_of_a_computed_nan_are_canonical() -> None:
    text = """(module (func (export "f") (param f64) (result i64)
      (i64.reinterpret_f64 (f64.sub (f64.div (local.get 0) (f64.const 0)) (f64.div (local.get 0) (f64.const 0))))))"""
    assert caller(text, DOUBLE, returns=LONG).call([1.0]) == 0x7FF8000000000000


HOSTILE = {
    "an endless loop": "(loop (br 0))",
    "endless recursion": "(drop (call $f (local.get 0) (local.get 1)))",
    "filling memory for ever": "(loop (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536)) (br 0))",
    "growing memory for ever": "(loop (br_if 0 (i32.ge_s (memory.grow (i32.const 1)) (i32.const 0)))) (unreachable)",
    "growing a table for ever": "(loop (drop (table.grow 0 (ref.null func) (i32.const 1))) (br 0))",
    "a load outside of memory": "(drop (i64.load (i32.const -8)))",
    "a store outside of memory": "(i64.store (i32.const 65529) (i64.const 1))",
    "a call of an empty element": "(call_indirect (i32.const 0))",
    "a call outside of the table": "(call_indirect (i32.const 99))",
    "a forged pointer": "(return (i64.const -1))",
    "a forged length": "(return (i64.const 0x0000000010000000))",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_function_fails(name: str) -> None:
    text = f"""(module {MEMORY} (table 1 funcref)
      (func $f (export "f") (param i32 i32) (result i64) {HOSTILE[name]} (i64.const 0)))"""
    hostile = caller(text, STRING, returns=STRING)
    assert rows(hostile, ["a", ""]) == [None, None]
    assert one_by_one(hostile, ["a", "b"]) == [None, None]


@pytest.mark.parametrize("place", ["-1", "65536", "65534"])
def test_a_place_outside_of_memory_is_not_written(place: str) -> None:
    text = f"""(module (memory (export "memory") 1)
      (func (export "alloc") (param i32) (result i32) (i32.const {place}))
      (func (export "f") (param i32 i32) (result i64) (i64.const 1)))"""
    assert rows(caller(text, STRING, returns=LONG), ["abc"]) == [None]


def test_texts_of_an_array_may_not_lie_outside_of_memory() -> None:
    text = f"""(module {MEMORY} (data (i32.const 0) "\\00\\00\\00\\00\\ff\\ff\\ff\\7f")
      (func (export "f") (param i32 i32) (result i64) (i64.const 1)))"""
    assert rows(caller(text, STRING, returns=Array(STRING)), ["abc"]) == [None]


def test_an_array_with_a_null_fails() -> None:
    text = f'(module {MEMORY} (func (export "f") (param i32 i32) (result i64) (i64.const 1)))'
    assert rows(caller(text, Array(LONG), returns=LONG), [[1, None], [1], []]) == [None, 1, 1]


def test_calls_of_one_batch_have_a_limit_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_FUEL_AT_ONCE", 100_000)
    spin = caller(SPIN, LONG, returns=LONG, fuel=50_000)
    assert rows(spin, np.array([1_000])) == [0]
    with pytest.raises(TooMuchFuel, match="executed more than"):
        spin.call_rows([np.full(1_000, 1_000)], 1_000)


@pytest.mark.parametrize(
    "text",
    [
        '(module (func (export "f") (param i32) (result i64) (i64.const 1)))',
        '(module (func (export "g") (param i64) (result i64) (i64.const 1)))',
        '(module (func (export "f") (param i64) (result f64) (f64.const 1)))',
        '(module (memory (export "f") 1))',
    ],
)
def test_a_function_with_another_signature_is_never_called(text: str) -> None:
    with pytest.raises(BadModule):
        caller(text, LONG, returns=LONG)


def test_texts_without_memory_are_never_passed() -> None:
    with pytest.raises(BadModule):
        caller('(module (func (export "f") (param i32 i32) (result i64) (i64.const 1)))', STRING, returns=LONG)


def test_a_function_takes_nulls() -> None:
    of = function(
        '(module (func (export "f") (param i32 f64 i32 i32) (result i32) (i32.or (local.get 0) (local.get 2))))',
        *(DOUBLE, BOOLEAN),
        returns=BOOLEAN,
        nulls=True,
    )
    assert rows(FunctionCaller(of), [1.0, None, 1.0], [True, True, None]) == [False, True, True]
