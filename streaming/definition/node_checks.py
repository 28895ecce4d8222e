"""The fields that leave each node, and what is wrong inside it."""

from collections import Counter
from collections.abc import Iterable, Mapping

from streaming.definition.expressions import ExpressionError, ExpressionFault, Typed, parse, typed
from streaming.definition.faults import Fault, FaultCode, error, nearest
from streaming.definition.graph import Aggregate, FilterNode, InputNode, Node, ProjectNode, WindowNode
from streaming.definition.streams import StreamDefinition
from streaming.definition.types import (
    BOOLEAN,
    Fields,
    Null,
    Type,
    TypeTextError,
    aggregate_type,
    is_ordered,
    parse_type,
)
from streaming.definition.window_checks import check_window
from streaming.definition.wiring import RESERVED_PREFIX, reserved


def check_fields(fields: Mapping[str, str], *, node: str | None = None) -> tuple[Fault, ...]:
    """The faults of a stream's schema: types that cannot be read, reserved names."""
    faults = []
    for name, text in fields.items():
        path = f"stream.fields.{name}"
        if name.startswith(RESERVED_PREFIX):
            message = f"The field {name!r} begins with 'pane_', which is kept for the pane columns of results."
            remedy = "Choose another name for it in the stream."
            faults.append(error(FaultCode.RESERVED_NAME, message, remedy, node=node, field=path))
        try:
            parse_type(text)
        except TypeTextError as wrong:
            message, _, remedy = str(wrong).partition("; ")
            faults.append(
                error(FaultCode.BAD_SCHEMA, f"Field {name!r}: {message}.", _sentence(remedy), node=node, field=path)
            )
    return tuple(faults)


class NodeChecks:
    """Goes through the nodes in order and collects faults; `schemas` holds the fields of each sound node."""

    def __init__(self, streams: Mapping[str, StreamDefinition]) -> None:
        self._streams = streams
        self.faults: list[Fault] = []
        self.schemas: dict[str, Fields] = {}

    def check(self, node: Node) -> None:
        """Check `node` after the node that it reads; without that one's fields only what needs none is checked."""
        if isinstance(node, InputNode):
            fields = self._input(node)
        elif isinstance(node, FilterNode):
            fields = self._filter(node)
        elif isinstance(node, ProjectNode):
            fields = self._project(node)
        elif isinstance(node, WindowNode):
            fields = self._window(node)
        else:
            fields = self.schemas.get(node.input)
        if fields is not None:
            self.schemas[node.id] = fields

    def check_duplicate(self, node: Node) -> None:
        """Check a `node` whose id an earlier node has; the fields under that id stay the earlier node's."""
        schemas = dict(self.schemas)
        self.check(node)
        self.schemas = schemas

    def _input(self, node: InputNode) -> Fields | None:
        stream = self._streams.get(node.stream)
        if stream is None:
            message = f"There is no stream {node.stream!r}."
            remedy = nearest(node.stream, self._streams, "Create it under streams, or write the name of one.")
            self._refuse(FaultCode.UNKNOWN_STREAM, message, remedy, node.id, "stream")
            return None
        faults = check_fields(stream.fields, node=node.id)
        self.faults.extend(faults)
        return None if faults else {name: parse_type(text) for name, text in stream.fields.items()}

    def _filter(self, node: FilterNode) -> Fields | None:
        fields = self.schemas.get(node.input)
        self._condition(node.where, fields, node.id, "where")
        return fields

    def _project(self, node: ProjectNode) -> Fields | None:
        fields = self.schemas.get(node.input)
        self._names([column.name for column in node.columns], node.id, "columns")
        types: dict[str, Type | None] = {}
        for index, column in enumerate(node.columns):
            path = f"columns[{index}].of"
            of = self._type_of(column.of, fields, node.id, path)
            if isinstance(of, Null):
                message = f"Column {column.name!r} is always null and has no type."
                self._refuse(FaultCode.TYPE_MISMATCH, message, "Write cast(null as long), say.", node.id, path)
                of = None
            types[column.name] = of
        return _sound(types)

    def _window(self, node: WindowNode) -> Fields | None:
        fields = self.schemas.get(node.input)
        self.faults.extend(check_window(node))
        names = [*node.group_by, *(aggregate.name for aggregate in node.aggregates)]
        self._names(names, node.id, "aggregates", given=frozenset(node.group_by))
        types: dict[str, Type | None] = {}
        for index, name in enumerate(node.group_by):
            types[name] = self._group(name, fields, node.id, f"group_by[{index}]")
        for index, aggregate in enumerate(node.aggregates):
            types[aggregate.name] = self._aggregate(aggregate, fields, node.id, f"aggregates[{index}]")
        return _sound(types)

    def _group(self, name: str, fields: Fields | None, node: str, path: str) -> Type | None:
        if fields is None:
            return None
        of = fields.get(name)
        if of is None:
            remedy = nearest(name, fields, f"Group by one of: {', '.join(fields) or 'no field is there'}.")
            self._refuse(FaultCode.UNKNOWN_FIELD, f"There is no field {name!r} to group by.", remedy, node, path)
        elif not is_ordered(of):
            message = f"The field {name!r} is of type {of}; it cannot be grouped by."
            self._refuse(FaultCode.TYPE_MISMATCH, message, "Compute a scalar from it in a project node.", node, path)
            return None
        return of

    def _aggregate(self, aggregate: Aggregate, fields: Fields | None, node: str, path: str) -> Type | None:
        if aggregate.filter is not None:
            self._condition(aggregate.filter, fields, node, f"{path}.filter")
        if aggregate.of is None:
            if aggregate.function != "count":
                message = f"{aggregate.name!r}: {aggregate.function} needs 'of', the values to take."
                remedy = "Add 'of' with a field or an expression."
                self._refuse(FaultCode.MISSING_ARGUMENT, message, remedy, node, f"{path}.of")
                return None
            return aggregate_type("count", None)
        of = self._type_of(aggregate.of, fields, node, f"{path}.of")
        if of is None:
            return None
        result = aggregate_type(aggregate.function, of)
        if result is None:
            message = f"{aggregate.name!r}: {aggregate.function} does not take values of type {of}."
            numeric = aggregate.function in ("sum", "avg")
            remedy = "Take a number." if numeric else "Take a number, a text, a boolean or a timestamp."
            self._refuse(FaultCode.TYPE_MISMATCH, message, remedy, node, f"{path}.of")
        return result

    def _condition(self, text: str, fields: Fields | None, node: str, path: str) -> None:
        of = self._type_of(text, fields, node, path)
        if of is not None and of != BOOLEAN and not isinstance(of, Null):
            message = f"A condition is true or false; this one is of type {of}."
            self._refuse(FaultCode.TYPE_MISMATCH, message, "Compare it with something.", node, path)

    def _type_of(self, text: str, fields: Fields | None, node: str, path: str) -> Type | None:
        """The type of an expression; None with its faults recorded, or without any where `fields` are not known."""
        try:
            tree = parse(text)
        except ExpressionError as wrong:
            self._expression_fault(wrong.fault, node, path)
            return None
        if fields is None:
            return None
        result = typed(tree, fields)
        if isinstance(result, Typed):
            return result.type
        for fault in result:
            self._expression_fault(fault, node, path)
        return None

    def _expression_fault(self, fault: ExpressionFault, node: str, path: str) -> None:
        message = f"{fault.message} (at character {fault.at + 1})."
        self._refuse(fault.code, message, _sentence(fault.remedy), node, path)

    def _names(self, names: Iterable[str], node: str, path: str, given: frozenset[str] = frozenset()) -> None:
        """Names of result fields: each once; `pane_` only where a `given` field brings it along."""
        for name, count in Counter(names).items():
            if count > 1:
                message = f"The name {name!r} is used {count} times among the results."
                self._refuse(FaultCode.DUPLICATE_NAME, message, "Give each result a name of its own.", node, path)
            if name.startswith(RESERVED_PREFIX) and name not in given:
                self.faults.append(reserved(name, node=node, field=path))

    def _refuse(self, code: FaultCode, message: str, remedy: str, node: str, path: str) -> None:
        self.faults.append(error(code, message, remedy, node=node, field=path))


def _sound(types: Mapping[str, Type | None]) -> Fields | None:
    sound = {name: of for name, of in types.items() if of is not None}
    return sound if len(sound) == len(types) else None


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
