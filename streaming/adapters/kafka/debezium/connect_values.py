"""Values of Kafka Connect as JSON text, exact, in the form that `postgresql_changes` gives them.

A value that can't be exact is an object with the member `_unreadable`, which fits no field of a scalar type: the row is
malformed, and its text shows the value.
"""

import base64
import json
import math
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Context, Decimal
from typing import Any, Final

from streaming.adapters.formats.values import TICKS_PER_DAY
from streaming.adapters.kafka.debezium.connect_types import DECIMAL, VARIABLE_DECIMAL, ConnectType
from streaming.adapters.times.columns import KnownTick
from streaming.definition.payload.reading import WrittenNumber
from streaming.definition.payload.types import Array, DecimalOf, Struct, Timestamp, Type
from streaming.temporal.ticks import FIRST_TICK, LAST_TICK, TICKS_PER_S

UNREADABLE: Final = "_unreadable"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_EXACT: Final = Context(prec=10_000)
_UNFIT: Final = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)
Writes = Callable[[Any, ConnectType], str]


def written(value: Any, of: ConnectType | None) -> str:
    """Return `value` as JSON text; without a type (`of` None) as it is in the message."""
    if value is None:
        return "null"
    writes = None if of is None else _WRITERS.get(of.name)
    if of is not None and writes is not None:
        try:
            return writes(value, of)
        except _UNFIT:
            return unreadable(value)
    if isinstance(value, Mapping):
        return _object({name: written(each, _inside(of, name)) for name, each in value.items()})
    if isinstance(value, list):
        element = None if of is None else of.element
        return "[" + ",".join(written(each, element) for each in value) + "]"
    return _plain(value)


def unreadable(value: Any) -> str:
    """Return the JSON text in place of a value that is not exact."""
    return _object({UNREADABLE: written(value, None)})


def written_without_type(value: Any, declared: Type | None) -> str:
    """Return a value of a message without schema as JSON text, for a field of the type `declared` (None: not used).

    The unit of a number for a timestamp is not known then, nor the scale of a decimal in base64: they are unreadable.
    """
    if isinstance(declared, Timestamp) and isinstance(value, int | float):
        return unreadable(value)
    if isinstance(declared, DecimalOf) and isinstance(value, str):
        return unreadable(value)
    if isinstance(declared, Array) and isinstance(value, list):
        return "[" + ",".join(written_without_type(each, declared.element) for each in value) + "]"
    if isinstance(declared, Struct) and isinstance(value, Mapping):
        fields = dict(declared.fields)
        return _object({name: written_without_type(each, fields.get(name)) for name, each in value.items()})
    return written(value, None)


def _inside(of: ConnectType | None, name: str) -> ConnectType | None:
    return None if of is None else of.fields.get(name, of.element)


def json_text(value: Any) -> str:
    """Return `value` as JSON, with its characters as they are, unless one is half of a surrogate pair."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text


def _object(members: Mapping[str, str]) -> str:
    return "{" + ",".join(f"{json_text(str(name))}:{text}" for name, text in members.items()) + "}"


def _plain(value: Any) -> str:
    if isinstance(value, WrittenNumber):
        return value.written
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(str(value))
    if isinstance(value, KnownTick):
        return _moment(int(value)) if FIRST_TICK <= value <= LAST_TICK else str(int(value))
    if isinstance(value, Decimal):
        return format(value, "f")
    return json_text(value)


def _moment(tick: int) -> str:
    """A moment without zone as the database prints it. Raises `OverflowError` outside of the years 1 to 9999."""
    moment = _EPOCH + timedelta(microseconds=tick)
    return json.dumps(f"{moment.date().isoformat()}T{_clock(tick % TICKS_PER_DAY)}")


def _clock(tick: int) -> str:
    """A time of day, without zeros at the end of its fraction."""
    seconds, fraction = divmod(tick, TICKS_PER_S)
    clock = "24:00:00" if tick == TICKS_PER_DAY else (_EPOCH + timedelta(seconds=seconds)).time().isoformat()
    return clock if not fraction else f"{clock}.{fraction:06d}".rstrip("0")


def _timestamp(per_tick: int, ticks_per: int) -> Writes:
    def writes(value: Any, _: ConnectType) -> str:
        return _moment(int(value) if isinstance(value, KnownTick) else _whole(value) * ticks_per // per_tick)

    return writes


def _time(per_tick: int, ticks_per: int) -> Writes:
    def writes(value: Any, _: ConnectType) -> str:
        tick = _whole(value) * ticks_per // per_tick
        if not 0 <= tick <= TICKS_PER_DAY:
            raise ValueError(value)
        return json.dumps(_clock(tick))

    return writes


def _date(value: Any, _: ConnectType) -> str:
    days = int(value) // TICKS_PER_DAY if isinstance(value, KnownTick) else _whole(value)
    return json.dumps((date(1970, 1, 1) + timedelta(days=days)).isoformat())


def _iso_date(value: Any, _: ConnectType) -> str:
    return json.dumps(date.fromisoformat(value.removesuffix("Z")).isoformat())


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(value)
    return value


def _decimal(value: Any, of: ConnectType) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, int | float) and not isinstance(value, bool):  # decimal.format=numeric of the converter
        return _plain(value)
    return _scaled(value, int(of.parameters["scale"]))


def _variable_decimal(value: Any, _: ConnectType) -> str:
    return _scaled(value["value"], _whole(value["scale"]))


def _scaled(text: str, scale: int) -> str:
    unscaled = int.from_bytes(base64.b64decode(text, validate=True), "big", signed=True)
    return format(Decimal(unscaled).scaleb(-scale, _EXACT), "f")


def _json(value: Any, _: ConnectType) -> str:
    value.encode()  # raises for half of a surrogate pair
    json.loads(value)  # raises for text that is not JSON
    return str(value).replace("\n", " ").replace("\r", " ")


_WRITERS: Final[Mapping[str, Writes]] = {
    "io.debezium.time.Date": _date,
    "io.debezium.time.IsoDate": _iso_date,
    "io.debezium.time.Timestamp": _timestamp(1, 1_000),
    "io.debezium.time.MicroTimestamp": _timestamp(1, 1),
    "io.debezium.time.NanoTimestamp": _timestamp(1_000, 1),
    "io.debezium.time.Time": _time(1, 1_000),
    "io.debezium.time.MicroTime": _time(1, 1),
    "io.debezium.time.NanoTime": _time(1_000, 1),
    "io.debezium.data.Json": _json,
    "org.apache.kafka.connect.data.Date": _date,
    "org.apache.kafka.connect.data.Timestamp": _timestamp(1, 1_000),
    "org.apache.kafka.connect.data.Time": _time(1, 1_000),
    DECIMAL: _decimal,
    VARIABLE_DECIMAL: _variable_decimal,
}
