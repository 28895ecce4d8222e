"""Values in Protobuf's binary form, as the records described in `values`.

Uses the Protobuf library, which stops at a hundred levels of nesting. The plan for each message is made once: the
fields that may be absent, and the conversion of each value.
"""

import base64
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from streaming.adapters.formats.values import Record, Unreadable
from streaming.adapters.times.columns import KnownTick

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor

Converts = Callable[[Any], Any]
_WRAPPERS: Final = frozenset(
    f"google.protobuf.{name}Value"
    for name in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
)


class ProtobufReader:
    """Reads messages of one descriptor."""

    def __init__(self, descriptor: "Descriptor") -> None:
        from google.protobuf.message_factory import GetMessageClass

        self.descriptor = descriptor
        self._made = GetMessageClass(descriptor)
        self._plans = _Plans()
        self._convert = self._plans.of_message(descriptor)
        self.names = frozenset(field.name for field in descriptor.fields)

    def read(self, body: bytes) -> Any:
        """Return the fields of the message; `Unreadable` if the bytes are not a message."""
        from google.protobuf.message import DecodeError

        try:
            return self._convert(self._made.FromString(body))
        except DecodeError as error:
            return Unreadable(f"The message isn't a Protobuf {self.descriptor.full_name} ({error}).")
        except (UnicodeDecodeError, RecursionError) as error:
            return Unreadable(f"The message can't be read as {self.descriptor.full_name} ({type(error).__name__}).")

    def columns(self, bodies: Sequence[bytes], names: Sequence[str]) -> Mapping[str, Any] | None:
        """The columns `names`, null if there is no such field; None if bodies must be checked one by one."""
        from google.protobuf.message import DecodeError

        if self._plans.is_special(self.descriptor):
            return None
        try:
            messages = list(map(self._made.FromString, bodies))
        except (DecodeError, UnicodeDecodeError):
            return None
        return {name: self._column(messages, name) for name in names}

    def _column(self, messages: Sequence[Any], name: str) -> Sequence[Any]:
        field = self.descriptor.fields_by_name.get(name)
        if field is None:
            return [None] * len(messages)
        convert = self._plans.of_field(field)
        if _may_lack(field):
            lacking = [not each.HasField(name) for each in messages]
            values = [None if lacks else getattr(each, name) for each, lacks in zip(messages, lacking, strict=True)]
        else:
            values = list(map(operator.attrgetter(name), messages))
        return values if convert is None else [None if each is None else convert(each) for each in values]


class _Plans:
    """Builds the functions that turn messages into records, one for each type of message."""

    def __init__(self) -> None:
        self._known: dict[str, Converts] = {}

    def of_message(self, of: "Descriptor") -> Converts:
        name = of.full_name
        if name not in self._known:
            special = self._special(of)
            if special is not None:
                self._known[name] = special
            else:
                self._plain(of)
        return self._known[name]

    def _plain(self, of: "Descriptor") -> None:
        steps: list[tuple[str, Converts | None, bool]] = []

        def convert(message: Any) -> Record:
            found: Record = {}
            for name, convert_value, may_lack in steps:
                if may_lack and not message.HasField(name):
                    found[name] = None
                else:
                    value = getattr(message, name)
                    found[name] = value if convert_value is None else convert_value(value)
            return found

        self._known[of.full_name] = convert  # before its fields, as one of them may have this type
        for field in of.fields:
            steps.append((field.name, self.of_field(field), _may_lack(field)))

    def of_field(self, field: "FieldDescriptor") -> Converts | None:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            key = _key_text(field.message_type.fields_by_name["key"])
            value = self._single(field.message_type.fields_by_name["value"])
            return lambda found: {key(name): value(each) if value else each for name, each in found.items()}
        single = self._single(field)
        if field.is_repeated:
            return list if single is None else lambda found: [single(each) for each in found]
        return single

    def _single(self, field: "FieldDescriptor") -> Converts | None:
        if field.message_type is not None:
            return self.of_message(field.message_type)
        if field.enum_type is not None:
            names = {value.number: value.name for value in reversed(field.enum_type.values)}
            return lambda number: names.get(number, number)
        return _base64 if field.type == field.TYPE_BYTES else None

    def is_special(self, of: "Descriptor") -> bool:
        """Return True if the message is not converted to a record of its fields."""
        return self._special(of) is not None

    def _special(self, of: "Descriptor") -> Converts | None:
        if of.full_name in _WRAPPERS:
            inner = self._single(of.fields_by_name["value"])
            return lambda message: inner(message.value) if inner else message.value
        known: Mapping[str, Converts] = {
            "google.protobuf.Timestamp": lambda found: KnownTick(found.seconds * 1_000_000 + found.nanos // 1_000),
            "google.protobuf.Duration": lambda found: found.seconds * 1_000_000 + _to_zero(found.nanos),
            "google.protobuf.Struct": _struct,
            "google.protobuf.Value": _value,
            "google.protobuf.ListValue": lambda found: [_value(each) for each in found.values],
        }
        return known.get(of.full_name)


def _may_lack(field: "FieldDescriptor") -> bool:
    return bool(field.has_presence and not field.has_default_value)


def _to_zero(nanos: int) -> int:
    """Microseconds, rounded to zero: both parts of a duration have its sign."""
    return nanos // 1_000 if nanos >= 0 else -(-nanos // 1_000)


def _base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _key_text(field: "FieldDescriptor") -> Callable[[Any], str]:
    """The conversion of a map key to a field name, as in JSON."""
    if field.type == field.TYPE_BOOL:
        return lambda key: "true" if key else "false"
    return str


def _struct(found: Any) -> Record:
    return {name: _value(each) for name, each in found.fields.items()}


def _value(found: Any) -> Any:
    kind = found.WhichOneof("kind")
    if kind in {None, "null_value"}:
        return None
    if kind == "struct_value":
        return _struct(found.struct_value)
    if kind == "list_value":
        return [_value(each) for each in found.list_value.values]
    return getattr(found, kind)
