"""Inputs whose records are changes in Debezium's envelopes: the rows inside of them are proposed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from streaming.adapters.contract import AdapterError, InputAdapter, RecordSample
from streaming.adapters.registry import OptionsRefused
from streaming.inference.sampling import sample_of

ENVELOPE: Final[Mapping[str, Any]] = {"envelope": "debezium"}
"""The options of the kind `kafka` that read changes."""
_WRAPPED: Final = {"schema", "payload"}
_FOUND: Final = (
    "The messages are changes of a table that Debezium writes: they have `op`, `source`, `before` or `after`."
)
_SET: Final = "So the proposal sets the envelope to debezium: a row of the table becomes an edge."


def sample_input(build: Callable[[Mapping[str, Any]], InputAdapter], kind: str, *, now: int) -> RecordSample:
    """Return records of the input that `build` builds with additional options, at `now` (ticks of the wall clock).

    Of changes in envelopes it returns the rows, with the option that reads them; for another kind than `kafka`, and if
    the changes can't be read, the envelopes and a note. Raises `AdapterError`, `OptionsRefused`.
    """
    sample = sample_of(build({}), now=now)
    changes = _changes(sample)
    if not changes:
        return sample
    if kind != "kafka":
        return replace(sample, notes=[_elsewhere(changes[0]), *sample.notes])
    try:
        rows = sample_of(build(ENVELOPE), now=now)
    except (AdapterError, OptionsRefused) as refused:
        return replace(sample, notes=[f"{_FOUND} They can't be read as edges: {refused}", *sample.notes])
    return replace(rows, options={**rows.options, **ENVELOPE}, notes=[f"{_FOUND} {_SET}", *rows.notes])


def _changes(sample: RecordSample) -> Sequence[Mapping[str, Any]]:
    """Return the records that are changes, with or without a schema; none if most records are something else."""
    records = [record for span in sample.spans for record in span.records]
    found = [record for record in records if _is_change(record.get("payload") if _is_wrapped(record) else record)]
    return found if 2 * len(found) > len(records) else []


def _is_wrapped(record: Mapping[str, Any]) -> bool:
    return set(record) == _WRAPPED


def _is_change(payload: object) -> bool:
    if not isinstance(payload, Mapping) or not isinstance(payload.get("op"), str):
        return False
    return isinstance(payload.get("source"), Mapping) and not payload.keys().isdisjoint({"before", "after"})


def _elsewhere(change: Mapping[str, Any]) -> str:
    place = "payload." if _is_wrapped(change) else ""
    return (
        "The rows are changes of a table that Debezium writes. Only an input of the kind Kafka reads them as edges. "
        f"Here each change is an event of its own: its row is in `{place}after`, and the time of its commit in "
        f"`{place}source.ts_ms`."
    )
