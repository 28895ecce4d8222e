"""The adapter of an input with history: its two sources, their journals, and the expression of a seam by id."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa

from streaming.adapters.contract import InputAdapter
from streaming.adapters.history.adapter import HistoryThenLive
from streaming.adapters.history.choices import check_history_adapter, one_source
from streaming.adapters.history.overlaps import IdOf, Overlaps
from streaming.adapters.history.record import SeamStore
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.streams.stream import AdapterChoice, Historic, History, StreamDefinition
from streaming.engine.columns.rows import Rows
from streaming.planning.checked import expression
from streaming.spark.query.journals import history_journal, journaling, seam_journal
from streaming.spark.query.layout import CarrierFolder
from streaming.wire.messages import RunSpec
from streaming.wire.rows.arrived import Arrived

BuildAdapter = Callable[[AdapterChoice, StreamDefinition, Path], InputAdapter]
_STRENGTH = (Historic.DELIVER, Historic.STORE, Historic.DISCARD)


def joined_adapter(
    carrier: CarrierFolder, journal: str, choice: AdapterChoice, stream: StreamDefinition, build: BuildAdapter
) -> InputAdapter:
    """Return the adapter of `stream`, whose live rows `choice` reads; with a history it reads that first.

    `journal` is the folder of its journal; the last part is the id of the input. Raises `AdapterError`.
    """
    history = stream.history
    if history is None or history.adapter is None:  # a recording has the rows of both, with the marks of its history
        return journaling(carrier, journal, lambda path: build(choice, stream, path))
    archive, single = history.adapter, one_source(stream)
    check_history_adapter(archive, history)
    return HistoryThenLive(
        journaling(carrier, history_journal(journal), lambda path: build(archive, single, path)),
        journaling(carrier, journal, lambda path: build(choice, single, path)),
        Overlaps(history.seam, _id_of(stream, history)),
        SeamStore(carrier.folder.within(seam_journal(journal))),
        journal.rpartition("/")[2],
    )


def historic_of(spec: RunSpec) -> Historic:
    """Return what becomes of historic results; of several inputs with history, the strictest counts (T57)."""
    histories = [each.stream.history for each in spec.inputs.values() if each.stream.history is not None]
    chosen = [each.historic or Historic.STORE for each in histories]
    return max(chosen, key=_STRENGTH.index, default=Historic.STORE)


def histories_among(adapters: Mapping[str, InputAdapter]) -> Mapping[str, HistoryThenLive]:
    """Return the inputs with history, by id."""
    return {name: each for name, each in adapters.items() if isinstance(each, HistoryThenLive)}


def _id_of(stream: StreamDefinition, history: History) -> IdOf | None:
    if history.seam.id is None:
        return None
    of = expression(history.seam.id, parse_fields(stream.fields))

    def id_of(rows: Arrived) -> pa.Array:
        columns = dict(zip(rows.payload.schema.names, rows.payload.columns, strict=True))
        return Rows(columns, None, rows.start, rows.end, None).values(of, of.type)

    return id_of
