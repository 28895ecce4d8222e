"""What is wrong with one aggregate of a window, beside its expressions."""

from collections.abc import Iterator

from streaming.definition.aggregate_functions import AGGREGATES, aggregate_type
from streaming.definition.faults import Fault, FaultCode, error
from streaming.definition.graph import Aggregate
from streaming.definition.types import Type


def check_aggregate(
    aggregate: Aggregate, of: Type | None, path: str, node: str
) -> tuple[Type | None, tuple[Fault, ...]]:
    """The result type of `aggregate`, None if it has none, and its faults.

    `of` is the type of its expression: None when it has none, or a faulty one, which is then no second fault here.
    `path` is where the aggregate stands in `node`.
    """
    faults = [*_values(aggregate, of, path, node), *_parameters(aggregate, path, node)]
    return aggregate_type(aggregate.function, of), tuple(faults)


def _values(aggregate: Aggregate, of: Type | None, path: str, node: str) -> Iterator[Fault]:
    entry = AGGREGATES[aggregate.function]
    if aggregate.of is None and not entry.bare:
        message = f"{aggregate.name!r}: {entry.name} needs 'of', the values to take."
        remedy = "Add 'of' with a field or an expression."
        yield error(FaultCode.MISSING_ARGUMENT, message, remedy, node=node, field=f"{path}.of")
    if of is not None and aggregate_type(entry.name, of) is None:
        message = f"{aggregate.name!r}: {entry.name} does not take values of type {of}."
        yield error(FaultCode.TYPE_MISMATCH, message, entry.values.remedy, node=node, field=f"{path}.of")


def _parameters(aggregate: Aggregate, path: str, node: str) -> Iterator[Fault]:
    entry = AGGREGATES[aggregate.function]
    meanings = {"k": ("how many values", "3", aggregate.k), "fraction": ("0 to 1", "0.95", aggregate.fraction)}
    for name, (meaning, example, given) in meanings.items():
        field = f"{path}.{name}"
        if given is None and entry.parameter == name:
            message = f"{aggregate.name!r}: {entry.name} needs {name!r} ({meaning})."
            yield error(
                FaultCode.MISSING_ARGUMENT, message, f"Add {name!r}, such as {example}.", node=node, field=field
            )
        if given is not None and entry.parameter != name:
            message = f"{aggregate.name!r}: {name!r} means nothing to {entry.name}."
            users = ", ".join(other.name for other in AGGREGATES.values() if other.parameter == name)
            yield error(FaultCode.BAD_SHAPE, message, f"Remove it, or take one of {users}.", node=node, field=field)
