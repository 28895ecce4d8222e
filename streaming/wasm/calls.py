"""Calls of functions in WebAssembly: the one implementation for every executor (T60, T61)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from streaming.definition.own_functions.modules import (
    ALLOCATE,
    ALLOCATION,
    number_type,
    parameters_of,
    result_of,
    uses_memory,
)
from streaming.definition.payload.types import Double, Timestamp, Type
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK
from streaming.wasm.function import BadModule, FuelMeter, FunctionFailed, WasmFunction
from streaming.wasm.machine import CompiledModule, ModuleInstance
from streaming.wasm.modules import compiled
from streaming.wasm.rows import Numbers, RowLoop
from streaming.wasm.values import lifted, lowered

_CALLERS: Final = 256


@dataclass(frozen=True)
class RowResults:
    """The results of calls, row by row; a row of `failed` has no result."""

    values: Any
    failed: npt.NDArray[np.bool_]


class FunctionCaller:
    """Calls one function. Raises `UnknownModule` and `BadModule` if its module doesn't have it."""

    def __init__(self, function: WasmFunction) -> None:
        self._function = function
        self._compiled = _checked(function)
        self._result = number_type(function.returns) or "i64"
        self._lock = Lock()
        self._reusable = function.is_scalar and function.export not in self._compiled.writing

    def call(self, values: Sequence[Any]) -> Any:
        """Return the result for one row. Raises `FunctionFailed`."""
        with self._compiled.instance() as instance:
            return self._call(values, instance)

    def call_rows(self, columns: Sequence[Numbers | Sequence[Any]], rows: int) -> RowResults:
        """Return the results for `rows` rows. Raises `TooMuchFuel`.

        Numbers come as arrays, texts and arrays as lists; a null, which only a function that takes nulls receives, is
        None in a list.
        """
        meter = FuelMeter(self._function)
        with self._lock:
            if not self._reusable:
                results = RowResults([None] * rows, np.zeros(rows, np.bool_))
                return self._one_by_one(columns, range(rows), results, meter)
            values, left = self._loop.compute([np.asarray(column) for column in columns], rows, meter)
            failed = _invalid(self._function.returns, values)
            return self._one_by_one(columns, np.flatnonzero(left).tolist(), RowResults(values, failed), meter)

    @cached_property
    def _loop(self) -> RowLoop:
        return RowLoop(self._function, self._compiled)

    def _one_by_one(
        self, columns: Sequence[Numbers | Sequence[Any]], rows: Sequence[int], results: RowResults, meter: FuelMeter
    ) -> RowResults:
        """Call the function for each of `rows`, and return `results` with theirs."""
        lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns]
        for row in rows:
            with self._compiled.instance() as instance:
                try:
                    results.values[row] = self._call([column[row] for column in lists], instance)
                except FunctionFailed:
                    results.failed[row] = True
                meter.use(self._function.fuel - instance.fuel())
        return results

    def _call(self, values: Sequence[Any], instance: ModuleInstance) -> Any:
        function = self._function
        instance.refuel(function.fuel)
        raw = instance.call(function.export, lowered(function, values, instance), self._result)
        return lifted(function.returns, raw, instance)


def _invalid(returns: Type, values: Numbers) -> npt.NDArray[np.bool_]:
    """Return the rows whose number isn't a value of type `returns`."""
    if isinstance(returns, Double):
        return ~np.isfinite(values)
    if isinstance(returns, Timestamp):
        return (values < FIRST_TICK) | (values > LAST_TICK)
    return np.zeros(len(values), np.bool_)


def _checked(function: WasmFunction) -> CompiledModule:
    """Return the module of `function`, which has an export with the right signature: calls don't check it again."""
    module = compiled(function.module)
    export = module.description.function(function.export)
    needed = parameters_of(function.arguments, null_arguments=function.null_arguments)
    fits = export is not None and (export.parameters, export.results) == (needed, [result_of(function.returns)])
    if uses_memory((*function.arguments, function.returns)):
        fits &= module.description.memory
    if uses_memory(function.arguments):
        fits &= module.description.function(ALLOCATE) == ALLOCATION
    if not fits:
        raise BadModule(f"The module exports no {function.export!r} with these types.", "Check the query again.")
    return module


@lru_cache(_CALLERS)
def caller_of(function: WasmFunction) -> FunctionCaller:
    """Return the caller of `function` in this process."""
    return FunctionCaller(function)
