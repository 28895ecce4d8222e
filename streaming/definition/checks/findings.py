"""Shared by the checks of nodes: the schemas so far, the recorded faults, and the check of expressions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from streaming.definition.checks.wiring import RESERVED_PREFIX, reserved
from streaming.definition.counts import counted
from streaming.definition.expressions.macros import NO_MACROS, ExpandedText, Macros
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.problems import ExpressionError, ExpressionFault
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.faults import Fault, FaultCode, error, nearest, warning
from streaming.definition.payload.types import BOOLEAN, Fields, Null, Type, is_ordered
from streaming.definition.rows import ROW_START
from streaming.definition.streams.stream import StreamDefinition


class CheckFindings:
    """The `streams` by name, the `schemas` of the valid nodes so far, and the `faults` of all nodes."""

    def __init__(self, streams: Mapping[str, StreamDefinition], macros: Macros = NO_MACROS) -> None:
        self.streams = streams
        self.macros = macros
        self.faults: list[Fault] = []
        self.schemas: dict[str, Fields] = {}

    def refuse(self, code: FaultCode, message: str, remedy: str, node: str, path: str) -> None:
        """Record an error at `path` inside `node`."""
        self.faults.append(error(code, message, remedy, node=node, field=path))

    def warn(self, code: FaultCode, message: str, remedy: str, node: str, path: str | None) -> None:
        """Record a warning at `path` inside `node`."""
        self.faults.append(warning(code, message, remedy, node=node, field=path))

    def type_of(self, text: str, fields: Fields | None, node: str, path: str) -> Type | None:
        """Return the type of an expression; None if it has faults, which are recorded, or if `fields` are unknown."""
        result = expression_type(text, fields, self.macros)
        if isinstance(result, tuple):
            self.faults.extend(expression_fault(fault, node, path) for fault in result)
            return None
        return result

    def condition(self, text: str, fields: Fields | None, node: str, path: str) -> None:
        """Check an expression that must be true or false; null is allowed and counts as not true."""
        of = self.type_of(text, fields, node, path)
        if of is not None and of != BOOLEAN and not isinstance(of, Null):
            message = f"A condition must be true or false; this expression is of type {of}."
            self.refuse(FaultCode.TYPE_MISMATCH, message, "Compare it with a value.", node, path)

    def names(self, names: Iterable[str], node: str, path: str, existing: frozenset[str] = frozenset()) -> None:
        """Check the names of result fields: each once; the prefix `pane_` is only for an `existing` field."""
        for name, count in Counter(names).items():
            if count > 1:
                message = f"The name {name!r} is used for {counted(count, 'result')}."
                self.refuse(FaultCode.DUPLICATE_NAME, message, "Give each result its own name.", node, path)
            if name.startswith(RESERVED_PREFIX) and name not in existing:
                self.faults.append(reserved(name, node=node, field=path))

    def groups(self, node: str, group_by: Sequence[str], fields: Fields | None) -> dict[str, Type | None]:
        """Return the type of each field in `group_by` of `node`; None where it is unknown."""
        found: dict[str, Type | None] = dict.fromkeys(group_by)
        for index, name in enumerate(group_by if fields is not None else ()):
            found[name] = self._group(name, fields or {}, node, f"group_by[{index}]")
        return found

    def _group(self, name: str, fields: Fields, node: str, path: str) -> Type | None:
        of = fields.get(name)
        if of is None:
            remedy = nearest(name, fields, f"The fields here are: {', '.join(fields) or 'none'}.")
            self.refuse(FaultCode.UNKNOWN_FIELD, f"There is no field {name!r} to group by.", remedy, node, path)
        elif not is_ordered(of):
            message = f"The field {name!r} is of type {of}, which cannot be used in 'group_by'."
            self.refuse(FaultCode.TYPE_MISMATCH, message, "Compute a scalar from it in a project node.", node, path)
            return None
        return of


def reserved_starts(node: str, fields: Fields | None, names: Iterable[str], path: str) -> Iterator[Fault]:
    """Yield the errors of results, at `path`, and of fields of the input that are named like the start of rows."""
    places = [f"{path}[{index}].name" for index, name in enumerate(names) if name == ROW_START]
    if fields is not None and ROW_START in fields:
        places.append("input")
    for place in places:
        message = f"The name {ROW_START!r} is reserved: expressions read the start of a row under it."
        yield error(FaultCode.RESERVED_NAME, message, "Choose another name.", node=node, field=place)


def expression_type(
    text: str, fields: Fields | None, macros: Macros = NO_MACROS
) -> Type | tuple[ExpressionFault, ...] | None:
    """Return the type of an expression over `fields`, else its faults.

    None if it parses and `fields` are unknown, or if it calls one of the `macros` that has errors.
    """
    if macros.broken and macros.called(text) & macros.broken:
        return None
    expanded = ExpandedText(text)
    try:
        expanded = macros.expand(text)
        tree = parse(expanded.text)
    except ExpressionError as wrong:
        return (expanded.original(wrong.fault),)
    if fields is None:
        return None
    result = typed(tree, fields)
    return result.type if isinstance(result, TypedExpression) else tuple(map(expanded.original, result))


def expression_fault(fault: ExpressionFault, node: str | None, path: str) -> Fault:
    """Convert the fault of an expression to one of the definition; its place inside the text becomes `at`."""
    found = error(fault.code, f"{fault.message}.", sentence(fault.remedy), node=node, field=path)
    return found.model_copy(update={"at": fault.at})


def sentence(text: str) -> str:
    """Return `text` with a capital letter and a full stop."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def sound(types: Mapping[str, Type | None]) -> Fields | None:
    """Return the fields of a node; None if the type of any is unknown."""
    known = {name: of for name, of in types.items() if of is not None}
    return known if len(known) == len(types) else None
