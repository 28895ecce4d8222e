"""Calls of functions in WebAssembly over columns (T60)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from streaming.definition.expressions.tree import Call
from streaming.definition.own_functions.modules import number_type
from streaming.engine.columns.expressions.by_value import ROWS, polars_type
from streaming.wasm.function import LITERALS, WasmFunction, function_of


def module_call(node: Call, arguments: Sequence[pl.Expr]) -> pl.Expr:
    """The column of `node`; null where a call fails, and where an argument is null, unless the function takes nulls."""
    function = function_of(node)
    kind = polars_type(node.type)

    def kernel(series: Sequence[pl.Series]) -> pl.Series:
        from streaming.wasm.calls import caller_of  # wasmtime is large, and most processes call no functions

        rows = len(series[0])
        columns = [each if len(each) == rows else each.new_from_index(0, rows) for each in series[1:]]
        present = np.ones(rows, np.bool_)
        if not function.null_arguments:
            for each in columns:
                present &= each.is_not_null().to_numpy()
        where = np.flatnonzero(present)
        whole = len(where) == rows
        some = columns if whole else [each.gather(where) for each in columns]
        results = caller_of(function).call_rows(_in_memory(function, some), len(where))
        values = pl.Series(results.values, dtype=None if isinstance(results.values, np.ndarray) else kind).cast(kind)
        if results.failed.any():
            values = values.set(pl.Series(results.failed), None)
        return values if whole else pl.Series([None], dtype=kind).new_from_index(0, rows).scatter(where, values)

    return pl.map_batches([pl.col(ROWS), *arguments[LITERALS:]], kernel, return_dtype=kind)


def _in_memory(function: WasmFunction, columns: Sequence[pl.Series]) -> list[Any]:
    """Return arrays of numbers, and lists of texts, arrays and of values that may be null."""
    numbers = not function.null_arguments
    return [
        each.to_numpy() if numbers and number_type(of) is not None else each.to_list()
        for of, each in zip(function.arguments, columns, strict=True)
    ]
