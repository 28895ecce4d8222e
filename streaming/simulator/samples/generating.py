"""Generated rows for a sample of any stream: times and lateness of the generator, and random fields."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Final

from streaming.adapters.generator.adapter import GeneratorAdapter
from streaming.adapters.generator.columns import FIELDS
from streaming.adapters.generator.options import GeneratorOptions
from streaming.adapters.preview import sample
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import (
    Array,
    Boolean,
    DecimalOf,
    Double,
    Fields,
    Long,
    String,
    Struct,
    Timestamp,
    Type,
)
from streaming.definition.streams.stream import Rowtime, StreamDefinition
from streaming.simulator.samples.capturing import RowNote, TakenRow, TakenSample, of_adapter
from streaming.temporal.events import Shape
from streaming.temporal.ticks import INFINITY, Tick, format_instant

WORDS: Final = ("a", "b", "c", "d", "e")


@dataclass(frozen=True)
class _MadeUp:
    """Random values for the fields of a stream that the generator does not have."""

    fields: Fields
    random: Random

    def payload(self, start: int) -> dict[str, Any]:
        """Return one value for each field."""
        return {name: self._value(of, start) for name, of in self.fields.items()}

    def _value(self, of: Type, start: int) -> Any:
        if isinstance(of, Array):
            return [self._value(of.element, start) for _ in range(self.random.randrange(3))]
        if isinstance(of, Struct):
            return {name: self._value(inner, start) for name, inner in of.fields}
        if isinstance(of, Timestamp):
            return format_instant(Tick(start))
        return next((draw(self.random) for kind, draw in _DRAWS.items() if isinstance(of, kind)), None)


_DRAWS: Final[Mapping[type[Any], Callable[[Random], Any]]] = {
    String: lambda dice: dice.choice(WORDS),
    Long: lambda dice: dice.randrange(100),
    Double: lambda dice: float(dice.randrange(100)),
    DecimalOf: lambda dice: dice.randrange(2),
    Boolean: lambda dice: dice.random() < 0.5,
}


def generated(name: str, stream: StreamDefinition, options: Mapping[str, Any], rows: int) -> TakenSample:
    """Generate `rows` rows of the stream `name` in order of arrival; of edges at most so many starts and ends together.

    Raises `AdapterError` for invalid options.
    """
    edges = stream.shape is Shape.EDGE
    fields = {field: of for field, of in stream.fields.items() if FIELDS.get(field) == of}
    made = stream.model_copy(
        update={
            "fields": fields,
            "event_time": None,
            "lanes": None,
            "rowtime": Rowtime.EXPLICIT,
            "shape": Shape.INTERVAL if edges else stream.shape,
        }
    )
    adapter = GeneratorAdapter(GeneratorOptions.model_validate(options), made, Path())
    taken = of_adapter(name, made, sample(adapter, rows, now=0))
    rest = {field: of for field, of in parse_fields(stream.fields).items() if field not in fields}
    random = _MadeUp(rest, Random(options.get("seed", 1)))  # nosec B311 # made-up rows, no secret
    whole = [_fill(row, stream, random) for row in taken.rows]
    if edges:
        return TakenSample(rows=_edges(whole, rows), notes=[])
    lanes = stream.lanes or []
    if len(lanes) > 1:
        whole = [{**row, "lane": lanes[number % len(lanes)]} for number, row in enumerate(whole)]
    return TakenSample(rows=whole, notes=[*taken.notes, *_made_up_note(rest)])


def _made_up_note(rest: Fields) -> list[RowNote]:
    if not rest:
        return []
    return [RowNote(row=None, message=f"The values of {', '.join(rest)} are made up at random.")]


def _fill(row: TakenRow, stream: StreamDefinition, random: _MadeUp) -> TakenRow:
    if "bad" in row:
        return row
    payload = {**row["payload"], **random.payload(row["start"])}
    if stream.rowtime is Rowtime.IMPLICIT:
        row = {name: value for name, value in row.items() if name != "start"}
    return {**row, "payload": {name: payload[name] for name in stream.fields}}


def _edges(rows: list[TakenRow], most: int) -> list[TakenRow]:
    """Split each interval into a start and an end; the end arrives as much later as its time is later."""
    found: list[tuple[int, int, TakenRow]] = []
    for number, row in enumerate(rows):
        if "bad" in row:
            found.append((row["arrival"], number, row))
            continue
        end = row["end"] if row["end"] is not None else INFINITY
        base = {"stream": row["stream"], "start": row["start"], "payload": row["payload"]}
        closes = row["arrival"] + end - row["start"]
        found.append((row["arrival"], number, {**base, "arrival": row["arrival"], "edge": "start"}))
        found.append((closes, number, {**base, "arrival": closes, "edge": "end", "end": end}))
    return [row for _, _, row in sorted(found, key=lambda each: each[:2])][:most]
