"""What the checks of nodes share: the fields known so far, the faults found, and how expressions are checked."""

from collections import Counter
from collections.abc import Iterable, Mapping

from streaming.definition.counts import counted
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.problems import ExpressionError, ExpressionFault
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.faults import Fault, FaultCode, error, warning
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import BOOLEAN, Fields, Null, Type
from streaming.definition.wiring import RESERVED_PREFIX, reserved


class CheckFindings:
    """The `streams` by name, the `schemas` of the nodes that are sound so far, and the `faults` of all nodes."""

    def __init__(self, streams: Mapping[str, StreamDefinition]) -> None:
        self.streams = streams
        self.faults: list[Fault] = []
        self.schemas: dict[str, Fields] = {}

    def refuse(self, code: FaultCode, message: str, remedy: str, node: str, path: str) -> None:
        """Record an error at `path` inside `node`."""
        self.faults.append(error(code, message, remedy, node=node, field=path))

    def warn(self, code: FaultCode, message: str, remedy: str, node: str, path: str | None) -> None:
        """Record a warning at `path` inside `node`."""
        self.faults.append(warning(code, message, remedy, node=node, field=path))

    def type_of(self, text: str, fields: Fields | None, node: str, path: str) -> Type | None:
        """The type of an expression; None with its faults recorded, or without any where `fields` are not known."""
        found = expression_type(text, fields)
        if isinstance(found, tuple):
            self.faults.extend(expression_fault(fault, node, path) for fault in found)
            return None
        return found

    def condition(self, text: str, fields: Fields | None, node: str, path: str) -> None:
        """Check an expression that is true or false; null is not true and allowed."""
        of = self.type_of(text, fields, node, path)
        if of is not None and of != BOOLEAN and not isinstance(of, Null):
            message = f"A condition is true or false; this one is of type {of}."
            self.refuse(FaultCode.TYPE_MISMATCH, message, "Compare it with something.", node, path)

    def names(self, names: Iterable[str], node: str, path: str, given: frozenset[str] = frozenset()) -> None:
        """Names of result fields: each once; `pane_` only where a `given` field brings it along."""
        for name, count in Counter(names).items():
            if count > 1:
                message = f"The name {name!r} is used {counted(count, 'time')} among the results."
                self.refuse(FaultCode.DUPLICATE_NAME, message, "Give each result a name of its own.", node, path)
            if name.startswith(RESERVED_PREFIX) and name not in given:
                self.faults.append(reserved(name, node=node, field=path))


def expression_type(text: str, fields: Fields | None) -> Type | tuple[ExpressionFault, ...] | None:
    """The type of an expression over `fields`, else its faults; None where it can be read and no fields are known."""
    try:
        tree = parse(text)
    except ExpressionError as wrong:
        return (wrong.fault,)
    if fields is None:
        return None
    result = typed(tree, fields)
    return result.type if isinstance(result, TypedExpression) else result


def expression_fault(fault: ExpressionFault, node: str | None, path: str) -> Fault:
    """The fault of an expression as a fault of the definition, with its place inside the text as `at`."""
    found = error(fault.code, f"{fault.message}.", sentence(fault.remedy), node=node, field=path)
    return found.model_copy(update={"at": fault.at})


def sentence(text: str) -> str:
    """`text` with a capital and a stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def sound(types: Mapping[str, Type | None]) -> Fields | None:
    """The fields of a node, None when the type of any is not known."""
    known = {name: of for name, of in types.items() if of is not None}
    return known if len(known) == len(types) else None
