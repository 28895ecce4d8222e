"""Inference of the stream of an input without `--streams`, if its file leaves no doubt."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from streaming.adapters.formats.text.dialect import Dialect
from streaming.definition.plain_names import NAME_PATTERN
from streaming.definition.streams.stream import EventTimeBy, StreamDefinition
from streaming.run.errors import UsageError
from streaming.run.inputs.files import InputFiles
from streaming.run.inputs.infer_types import Doubt, LeftOut
from streaming.run.inputs.samples import FileSample, sample_of
from streaming.temporal.events import Shape
from streaming.wire.yaml_data import quoted_yaml

_TYPES = "long, double, string, boolean, timestamp, decimal(p,s), array<type> or struct<name: type>"
Doubts = dict[str | None, str]
"""The doubt on each column, or, with the key None, on the start."""


@dataclass(frozen=True)
class InferredStream:
    """A stream inferred from its file, the message about it, and the form of the text (`FileSample.reading`)."""

    stream: StreamDefinition
    message: str
    reading: Mapping[str, Any]


def infer(name: str, files: InputFiles, by: EventTimeBy | None) -> InferredStream:
    """Return the definition of the stream `name`, whose start is set by `by`, otherwise in the column `start`.

    Points; intervals if there is an `end`, edges if there is an `edge` as well. With EVENTTIME BY, columns of those
    names are fields, unless they are next to a `payload`. Raises `UsageError`, with the YAML to write, if anything is
    in doubt, and `Unreadable`.
    """
    sample = sample_of(files)
    times = sample.times if sample.apart or by is None else frozenset[str]()
    fields, doubts = _fields(sample, times)
    if by is None and "start" not in times:
        doubts[None] = "the time of its events is unknown: there is no column 'start' and no EVENTTIME BY"
    shape = Shape.EDGE if "edge" in times else Shape.INTERVAL if "end" in times else Shape.POINT
    if doubts:
        raise UsageError("\n".join([_to_write(name, files, shape, fields, doubts), *_written(sample.reading)]))
    stream = StreamDefinition(shape=shape, fields=fields)
    shown = ", ".join(f"{field} {of}" for field, of in fields.items()) or "none"
    left_out = "; ".join(f"{column!r}: {of.why}" for column, of in sample.columns.items() if isinstance(of, LeftOut))
    message = " ".join(
        [f"{name}: from {files.path}: shape {shape}; fields {shown}.", *sample.notes, "Use --streams to change this."]
    )
    return InferredStream(stream, f"{message} Left out: {left_out}." if left_out else message, sample.reading)


def _written(reading: Mapping[str, Any]) -> Iterator[str]:
    """Yield the options of the file adapter as lines of YAML."""
    for option, value in reading.items():
        yield f"  {option}: {json.dumps(value.non_defaults if isinstance(value, Dialect) else value)}"


def _fields(sample: FileSample, times: frozenset[str]) -> tuple[dict[str, str], Doubts]:
    """Return the columns with a type, and the doubtful ones with the reason.

    Columns that no field can hold are left out.
    """
    fields: dict[str, str] = {}
    doubts: Doubts = {}
    for column, of in sample.columns.items():
        if isinstance(of, LeftOut) or (column in times and not sample.apart):
            continue
        if re.fullmatch(NAME_PATTERN, column) is None:
            doubts[column] = "its name is not a valid field name (letters, digits and _)"
        elif isinstance(of, Doubt):
            doubts[column] = of.why
        else:
            fields[column] = str(of)
    return fields, doubts


def _to_write(name: str, files: InputFiles, shape: Shape, fields: Mapping[str, str], doubts: Doubts) -> str:
    """Return the doubts, and the file to write."""
    doubts_text = "; ".join(why if column is None else f"{column!r}: {why}" for column, why in doubts.items())
    lines = [
        f"The stream {name!r} cannot be inferred from {files.path}: {doubts_text}.",
        "Write it to a file and pass that with --streams:",
        "",
        f"{name}:",
        f"  shape: {shape}{'' if shape is not Shape.POINT else '            # or interval, edge'}",
        "  fields:",
        *(f"    {field}: {of}" for field, of in fields.items()),
    ]
    renamed: dict[str, str] = {}
    taken = {*fields, *filter(None, doubts)}
    for column in doubts:
        if column is not None:
            plain = re.fullmatch(NAME_PATTERN, column) is not None
            valid = column if plain else re.sub(r"\W|^(?=\d)", "_", column, flags=re.ASCII) or "field"
            field = next(each for each in _numbered(valid) if each == column or each not in taken)
            taken.add(field)
            renamed |= {field: column} if field != column else {}
            lines.append(f"    {field}: TYPE  # {_TYPES}; or leave it out")
    columns = [f"{field}: {quoted_yaml(column)}" for field, column in renamed.items()]
    if None in doubts:
        columns += ["start: COLUMN"] + (["end: COLUMN"] if shape is not Shape.POINT else [])
    if columns:
        lines.append(f"  columns: {{{', '.join(columns)}}}  # from a field or time to the column that holds it")
    if None in doubts:
        lines.append("  unit: ms               # if times are numbers: s, ms, us or ns")
    return "\n".join(lines)


def _numbered(name: str) -> Iterator[str]:
    """Yield `name`, then `name_2`, `name_3` and so on."""
    yield name
    yield from (f"{name}_{number}" for number in itertools.count(2))
