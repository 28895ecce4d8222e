"""Writes values as Protobuf messages; an error names the place of a value that does not fit."""

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from streaming.adapters.formats.values import MisfitValue, as_number, as_text, as_whole
from streaming.adapters.times.columns import KnownTick

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor


class ProtobufWriter:
    """Writes messages of one descriptor."""

    def __init__(self, descriptor: "Descriptor") -> None:
        from google.protobuf.message_factory import GetMessageClass

        self._descriptor = descriptor
        self._made = GetMessageClass(descriptor)

    def write(self, record: Mapping[str, Any]) -> bytes:
        """Encode `record`. Raises `MisfitValue`."""
        message = self._made()
        _fill(message, record, "")
        return bytes(message.SerializeToString(deterministic=True))

    @property
    def indexes(self) -> list[int]:
        """The indexes of the message in its file, from the outside in."""
        found: list[int] = []
        of = self._descriptor
        while of is not None:
            outer = of.containing_type
            names = [each.name for each in outer.nested_types] if outer else _order(of)
            found.insert(0, names.index(of.name))
            of = outer
        return found


def _order(of: "Descriptor") -> list[str]:
    """The names of the top-level messages of its file, in their order there."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    return [each.name for each in FileDescriptorProto.FromString(of.file.serialized_pb).message_type]


def _fill(message: Any, value: Any, path: str) -> None:
    """Set the fields of `message`; null and missing fields stay unset."""
    package, _, name = message.DESCRIPTOR.full_name.rpartition(".")
    if package == "google.protobuf":
        _fill_known(message, name, value, path)
        return
    if not isinstance(value, Mapping):
        raise MisfitValue(path, "isn't a record")
    message.SetInParent()
    for field in message.DESCRIPTOR.fields:
        given = value.get(field.name)
        if given is not None:
            _set(message, field, given, f"{path}.{field.name}")


def _set(message: Any, field: "FieldDescriptor", value: Any, path: str) -> None:
    target = getattr(message, field.name)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        _set_map(target, field, value, path)
    elif field.is_repeated:
        if not isinstance(value, list):
            raise MisfitValue(path, "isn't a list")
        for at, each in enumerate(value):
            if each is None:
                raise MisfitValue(f"{path}[{at}]", "is null, which a Protobuf list can't contain")
            if field.message_type is not None:
                _fill(target.add(), each, f"{path}[{at}]")
            else:
                target.append(_scalar(field, each, f"{path}[{at}]"))
    elif field.message_type is not None:
        _fill(target, value, path)
    else:
        setattr(message, field.name, _scalar(field, value, path))


def _set_map(target: Any, field: "FieldDescriptor", value: Any, path: str) -> None:
    key, of = (field.message_type.fields_by_name[name] for name in ("key", "value"))
    if not isinstance(value, Mapping) or key.type != key.TYPE_STRING:
        raise MisfitValue(path, "can't be a map with text keys")
    for name, each in value.items():
        if each is not None and of.message_type is not None:
            _fill(target[name], each, f"{path}.{name}")
        elif each is not None:
            target[name] = _scalar(of, each, f"{path}.{name}")


def _fill_known(message: Any, name: str, value: Any, path: str) -> None:
    message.SetInParent()
    if name in {"Timestamp", "Duration"}:
        if name == "Timestamp" and not isinstance(value, KnownTick):
            raise MisfitValue(path, "isn't a moment")
        ticks = as_whole(value, -(2**62), 2**62, path)
        message.seconds, message.nanos = ticks // 1_000_000, ticks % 1_000_000 * 1_000
        if name == "Duration" and ticks < 0 and message.nanos:  # both parts have the sign
            message.seconds, message.nanos = message.seconds + 1, message.nanos - 1_000_000_000
    elif name.endswith("Value") and "value" in message.DESCRIPTOR.fields_by_name:
        message.value = _scalar(message.DESCRIPTOR.fields_by_name["value"], value, path)
    else:
        raise MisfitValue(path, f"has the type google.protobuf.{name}, which can't be written")


def _scalar(field: "FieldDescriptor", value: Any, path: str) -> Any:
    if field.type == field.TYPE_BOOL and isinstance(value, bool):
        return value
    if field.type == field.TYPE_STRING:
        return as_text(value, path)
    if field.type == field.TYPE_BYTES and isinstance(value, str):
        try:
            return base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            raise MisfitValue(path, "isn't base64 text") from None
    if field.enum_type is not None:
        if isinstance(value, str) and value in field.enum_type.values_by_name:
            return field.enum_type.values_by_name[value].number
        raise MisfitValue(path, f"isn't a {field.enum_type.name} of the schema")
    if field.cpp_type in {field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT}:
        return as_number(value, path)
    bounds = {
        field.CPPTYPE_INT32: (-(2**31), 2**31 - 1),
        field.CPPTYPE_INT64: (-(2**63), 2**63 - 1),
        field.CPPTYPE_UINT32: (0, 2**32 - 1),
        field.CPPTYPE_UINT64: (0, 2**64 - 1),
    }.get(field.cpp_type)
    if bounds is None:
        raise MisfitValue(path, "has the wrong type for the schema")
    return as_whole(value, *bounds, path)
