"""Protobuf messages of drawn schemas: what the library writes, and what we read."""

import base64
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

from streaming.adapters.formats.protobuf.declarations import MAIN, ProtoFile
from tests.adapters.kafka.formats.drawn_avro import FINITE, INTS, LONGS, TEXTS

F = FieldDescriptorProto
UNSIGNED = st.integers(0, 2**64 - 1)
SCALARS: dict[int, tuple[st.SearchStrategy[Any], Any]] = {
    F.TYPE_BOOL: (st.booleans(), False),
    **dict.fromkeys((F.TYPE_INT32, F.TYPE_SINT32, F.TYPE_SFIXED32), (INTS, 0)),
    **dict.fromkeys((F.TYPE_INT64, F.TYPE_SINT64, F.TYPE_SFIXED64), (LONGS, 0)),
    **dict.fromkeys((F.TYPE_UINT64, F.TYPE_FIXED64), (UNSIGNED, 0)),
    **dict.fromkeys((F.TYPE_UINT32, F.TYPE_FIXED32), (st.integers(0, 2**32 - 1), 0)),
    F.TYPE_DOUBLE: (FINITE, 0.0),
    F.TYPE_FLOAT: (st.floats(width=32, allow_nan=False, allow_infinity=False), 0.0),
    F.TYPE_STRING: (TEXTS, ""),
    F.TYPE_BYTES: (st.binary(max_size=6), b""),
}
SHAPES = ("single", "optional", "oneof", "repeated", "map")


@dataclass(frozen=True)
class DrawnMessages:
    file: ProtoFile
    values: list[bytes]
    ours: list[dict[str, Any]]


def ours(of: int, value: Any) -> Any:
    return base64.b64encode(value).decode() if of == F.TYPE_BYTES else value


def descriptor(kinds: list[tuple[int, str]]) -> ProtoFile:
    """A message M of these fields, f0 and so on, and a field `inner` of the message itself."""
    made = DescriptorProto(name="M")
    if any(shape == "oneof" for _, shape in kinds):
        made.oneof_decl.add(name="one")
    for at, (of, shape) in enumerate(kinds):
        field = made.field.add(name=f"f{at}", number=at + 1, type=of, label=F.LABEL_OPTIONAL)  # type: ignore[arg-type]
        if shape == "oneof":
            field.oneof_index = 0
        if shape in {"repeated", "map"}:
            field.label = F.LABEL_REPEATED
        if shape == "map":
            entry = made.nested_type.add(name=f"F{at}Entry")
            entry.field.add(name="key", number=1, type=F.TYPE_STRING, label=F.LABEL_OPTIONAL)
            entry.field.add(name="value", number=2, type=of, label=F.LABEL_OPTIONAL)  # type: ignore[arg-type]
            entry.options.map_entry = True
            field.type, field.type_name = F.TYPE_MESSAGE, f".t.M.F{at}Entry"
    made.field.add(name="inner", number=100, type=F.TYPE_MESSAGE, type_name=".t.M", label=F.LABEL_OPTIONAL)
    for at, (_, shape) in enumerate(kinds):
        if shape == "optional":
            made.field[at].proto3_optional = True
            made.field[at].oneof_index = len(made.oneof_decl)
            made.oneof_decl.add(name=f"_f{at}")
    file = FileDescriptorProto(name=MAIN, package="t", syntax="proto3", message_type=[made])
    return ProtoFile(FileDescriptorSet(file=[file]).SerializeToString())


@st.composite
def written_messages(draw: st.DrawFn, shapes: tuple[str, ...] = SHAPES, most: int = 3) -> DrawnMessages:
    kinds = draw(st.lists(st.tuples(st.sampled_from(sorted(SCALARS)), st.sampled_from(shapes)), min_size=1, max_size=6))
    file = descriptor(kinds)
    of = GetMessageClass(file.message("M"))
    values, expected = [], []
    for _ in range(draw(st.integers(1, most))):
        message = of()
        expected_fields = filled(draw, message, kinds)
        if draw(st.booleans()):
            message.inner.SetInParent()
            expected_fields["inner"] = filled(draw, message.inner, kinds)
        values.append(message.SerializeToString())
        expected.append(expected_fields)
    return DrawnMessages(file, values, expected)


def filled(draw: st.DrawFn, message: Any, kinds: list[tuple[int, str]]) -> dict[str, Any]:
    """Set some fields of `message`; return the expected values."""
    expected_fields: dict[str, Any] = {}
    for at, (of, shape) in enumerate(kinds):
        name, (some, empty) = f"f{at}", SCALARS[of]
        if shape == "repeated":
            each = draw(st.lists(some, max_size=3))
            getattr(message, name).extend(each)
            expected_fields[name] = [ours(of, one) for one in each]
        elif shape == "map":
            known = draw(st.dictionaries(TEXTS, some, max_size=3))
            getattr(message, name).update(known)
            expected_fields[name] = {key: ours(of, one) for key, one in known.items()}
        elif draw(st.booleans()):
            value = draw(some)
            setattr(message, name, value)
            if shape == "oneof":  # the last one that is set wins
                expected_fields.update(
                    {other: None for other in expected_fields if kinds[int(other[1:])][1] == "oneof"}
                )
            expected_fields[name] = ours(of, value)
        else:
            expected_fields[name] = ours(of, empty) if shape == "single" else None
    return {**expected_fields, "inner": None}
