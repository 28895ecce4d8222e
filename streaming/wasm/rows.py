"""Calls of one function for many rows of numbers, in one loop inside WebAssembly.

The loop calls a function that leaves no trace, so one instance serves all rows. It has the fuel of a single call: if
it succeeds, each call alone would have. Where it stops, it resumes with new fuel; a row that can't be computed even
then is left to a call on its own, which decides about it.
"""

from collections.abc import Sequence
from ctypes import addressof, memmove, string_at
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from wasmtime import Instance, Module, Store, Trap, wat2wasm

from streaming.definition.own_functions.modules import MEMORY_BYTES, number_type
from streaming.wasm.function import FuelMeter, WasmFunction
from streaming.wasm.machine import LOADING_FUEL, MOST_ELEMENTS, MOST_TABLES, CompiledModule, engine

Numbers = npt.NDArray[Any]
AT_ONCE: Final = 8_192
"""The rows that are copied into the loop's memory at once."""
SLOT: Final = 8
"""The bytes of a value in the loop's memory."""
_PAGE: Final = 1 << 16
DTYPES: Final = {"i64": np.int64, "f64": np.float64, "i32": np.int64}
"""The array of a column by the type of its numbers; a boolean takes a whole slot."""


class RowLoop:
    """The loop for one function; not for several threads at once."""

    def __init__(self, function: WasmFunction, compiled: CompiledModule) -> None:
        self._function = function
        self._kinds = [number_type(of) or "" for of in function.arguments]
        self._result = number_type(function.returns) or ""
        self._store = Store(engine())
        self._store.set_limits(MEMORY_BYTES, MOST_ELEMENTS, instances=2, tables=MOST_TABLES, memories=2)
        self._store.set_fuel(LOADING_FUEL)
        own = Instance(self._store, compiled.module, [])
        loop = Module(engine(), bytes(wat2wasm(_text(self._kinds, self._result))))
        exports = Instance(self._store, loop, [own.exports(self._store)[function.export]]).exports(self._store)
        self._run: Any = exports["run"]
        self._at: Any = exports["at"]
        self._memory: Any = exports["memory"]

    def compute(self, columns: Sequence[Numbers], rows: int, meter: FuelMeter) -> tuple[Numbers, npt.NDArray[np.bool_]]:
        """Return the results of `rows` calls, and the rows that are left to a call on their own.

        Raises `TooMuchFuel`.
        """
        results = np.zeros(rows, DTYPES[self._result])
        left = np.zeros(rows, np.bool_)
        for first in range(0, rows, AT_ONCE):
            part = slice(first, min(first + AT_ONCE, rows))
            self._part([column[part] for column in columns], results[part], left[part], meter)
        return results, left

    def _part(
        self, columns: Sequence[Numbers], results: Numbers, left: npt.NDArray[np.bool_], meter: FuelMeter
    ) -> None:
        base = addressof(self._memory.data_ptr(self._store).contents)
        for place, (column, kind) in enumerate(zip(columns, self._kinds, strict=True), 1):
            content = np.ascontiguousarray(column, DTYPES[kind])
            memmove(base + place * AT_ONCE * SLOT, content.ctypes.data, content.nbytes)
        rows, at = len(results), 0
        while at < rows:
            reached = self._segment(at, rows)
            meter.use(self._function.fuel - self._store.get_fuel())
            if reached == at:
                left[at] = True
                reached += 1
            at = reached
        results[:] = np.frombuffer(string_at(base, rows * SLOT), results.dtype)

    def _segment(self, at: int, rows: int) -> int:
        """Run from row `at` on, as far as the fuel of one call reaches; return the row reached."""
        self._store.set_fuel(self._function.fuel)
        self._at.set_value(self._store, at)
        try:
            self._run(self._store, rows)
        except Trap:
            return int(self._at.value(self._store))
        return rows


def _text(kinds: Sequence[str], result: str) -> str:
    """Return the loop: row k of column n is 8 bytes at `(n * AT_ONCE + k) * SLOT`; column 0 has the results."""
    pages = -(-(len(kinds) + 1) * AT_ONCE * SLOT // _PAGE)
    place = f"(i32.shl (global.get $at) (i32.const {SLOT.bit_length() - 1}))"
    loads = " ".join(f"({kind}.load offset={number * AT_ONCE * SLOT} {place})" for number, kind in enumerate(kinds, 1))
    value = f"(call $f {loads})"
    stored = f"(i64.extend_i32_u {value})" if result == "i32" else value
    store = "i64" if result == "i32" else result
    return f"""(module
      (import "own" "f" (func $f (param {" ".join(kinds)}) (result {result})))
      (memory (export "memory") {pages})
      (global $at (export "at") (mut i32) (i32.const 0))
      (func (export "run") (param $end i32)
        (block $done
          (loop $next
            (br_if $done (i32.ge_u (global.get $at) (local.get $end)))
            ({store}.store {place} {stored})
            (global.set $at (i32.add (global.get $at) (i32.const 1)))
            (br $next)))))"""
