"""The stream of an input that no `--streams` describes, where its file says it without doubt."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from streaming.definition.streams import EventTimeBy, StreamDefinition
from streaming.definition.tokens import NAME_PATTERN
from streaming.run.errors import UsageError
from streaming.run.files import InputFiles
from streaming.run.infer_types import Doubt
from streaming.run.samples import FileSample, sample_of
from streaming.temporal.events import Shape

_TYPES = "long, double, string, boolean, timestamp, decimal(p,s), array<type> or struct<name: type>"


@dataclass(frozen=True)
class InferredStream:
    """A stream as its file shows it, and the sentence that says so."""

    stream: StreamDefinition
    said: str


def infer(name: str, files: InputFiles, by: EventTimeBy | None) -> InferredStream:
    """The definition of the stream `name`, whose start is where `by` says, else in the column `start`.

    Points; intervals where there is an `end`, edges where there is an `edge` as well. Under EVENTTIME BY columns of
    those names are fields, unless they stand beside a `payload`. Raises `UsageError`, with the YAML to write, where
    anything is in doubt, and `Unreadable`.
    """
    sample = sample_of(files)
    times = sample.times if sample.apart or by is None else frozenset[str]()
    fields, doubts = _fields(sample, times)
    if by is None and "start" not in times:
        doubts[""] = "nothing says when its events happen: there is no start, and no EVENTTIME BY"
    shape = Shape.EDGE if "edge" in times else Shape.INTERVAL if "end" in times else Shape.POINT
    if doubts:
        raise UsageError(_to_write(name, files, shape, fields, doubts))
    stream = StreamDefinition(shape=shape, fields=fields)
    shown = ", ".join(f"{field} {of}" for field, of in fields.items()) or "none"
    return InferredStream(
        stream, f"{name}: from {files.path}: shape {shape}; fields {shown}. Use --streams to say otherwise."
    )


def _fields(sample: FileSample, times: frozenset[str]) -> tuple[dict[str, str], dict[str, str]]:
    """The columns whose types are told, and the others, each with the reason."""
    fields: dict[str, str] = {}
    doubts: dict[str, str] = {}
    for column, of in sample.columns.items():
        if column in times and not sample.apart:
            continue
        if re.fullmatch(NAME_PATTERN, column) is None:
            doubts[column] = "its name is no name of a field (letters, digits and _)"
        elif isinstance(of, Doubt):
            doubts[column] = of.why
        else:
            fields[column] = str(of)
    return fields, doubts


def _to_write(name: str, files: InputFiles, shape: Shape, fields: Mapping[str, str], doubts: Mapping[str, str]) -> str:
    """What is in doubt, and the file to write."""
    told = "; ".join(f"{column!r}: {why}" if column else why for column, why in doubts.items())
    lines = [
        f"The stream {name!r} cannot be inferred from {files.path}: {told}.",
        "Write it in a file and name that with --streams:",
        "",
        f"{name}:",
        f"  shape: {shape}{'' if shape is not Shape.POINT else '            # or interval, edge'}",
        "  fields:",
        *(f"    {field}: {of}" for field, of in fields.items()),
    ]
    renamed: dict[str, str] = {}
    for column in doubts:
        if column:
            field = column if re.fullmatch(NAME_PATTERN, column) else re.sub(r"\W|^(?=\d)", "_", column, flags=re.ASCII)
            renamed |= {field: column} if field != column else {}
            lines.append(f"    {field}: TYPE  # {_TYPES}; or leave it out")
    columns = [f'{field}: "{column}"' for field, column in renamed.items()]
    if "" in doubts:
        columns += ["start: COLUMN"] + (["end: COLUMN"] if shape is not Shape.POINT else [])
    if columns:
        lines.append(f"  columns: {{{', '.join(columns)}}}  # from a field or time to the column that holds it")
    if "" in doubts:
        lines.append("  unit: ms               # where times are numbers: s, ms, us or ns")
    return "\n".join(lines)
