"""Checks of one aggregate of a window, except those of its expressions."""

from collections.abc import Iterator

from streaming.definition.aggregate_functions import AGGREGATES, aggregate_type
from streaming.definition.analytic import AnalyticColumn
from streaming.definition.faults import Fault, FaultCode, error
from streaming.definition.graph import Aggregate
from streaming.definition.payload.types import Type


def check_aggregate(
    aggregate: Aggregate | AnalyticColumn, of: Type | None, path: str, node: str
) -> tuple[Type | None, tuple[Fault, ...]]:
    """Return the result type of `aggregate`, None if it has no valid one, and its faults.

    `of` is the type of its expression: None without an expression or with a faulty one, which is not reported again.
    `path` is the place of the aggregate in `node`.
    """
    faults = [*_values(aggregate, of, path, node), *_parameters(aggregate, path, node)]
    return aggregate_type(aggregate.function, of), tuple(faults)


def _values(aggregate: Aggregate | AnalyticColumn, of: Type | None, path: str, node: str) -> Iterator[Fault]:
    entry = AGGREGATES[aggregate.function]
    if aggregate.of is None and not entry.bare:
        message = f"{aggregate.name!r}: {entry.name} needs 'of', the values to aggregate."
        remedy = "Add 'of' with a field or an expression."
        yield error(FaultCode.MISSING_ARGUMENT, message, remedy, node=node, field=f"{path}.of")
    if of is not None and aggregate_type(entry.name, of) is None:
        message = f"{aggregate.name!r}: {entry.name} does not take values of type {of}."
        yield error(FaultCode.TYPE_MISMATCH, message, entry.values.remedy, node=node, field=f"{path}.of")


def _parameters(aggregate: Aggregate | AnalyticColumn, path: str, node: str) -> Iterator[Fault]:
    entry = AGGREGATES[aggregate.function]
    meanings = {"k": ("how many values", "3", aggregate.k), "fraction": ("0 to 1", "0.95", aggregate.fraction)}
    for name, (meaning, example, value) in meanings.items():
        field = f"{path}.{name}"
        if value is None and entry.parameter == name:
            message = f"{aggregate.name!r}: {entry.name} needs {name!r} ({meaning})."
            yield error(
                FaultCode.MISSING_ARGUMENT, message, f"Add {name!r}, such as {example}.", node=node, field=field
            )
        if value is not None and entry.parameter != name:
            message = f"{aggregate.name!r}: {entry.name} does not use {name!r}."
            users = ", ".join(other.name for other in AGGREGATES.values() if other.parameter == name)
            yield error(FaultCode.BAD_SHAPE, message, f"Remove it, or use one of {users}.", node=node, field=field)
