"""The operator stages: the kernels of each (binding, bucket) of a place, over Spark's state in RocksDB."""

import threading
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any, get_args

from pyspark.sql import Row as SparkRow
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle, TimerValues

from streaming.engine.exchange.envelopes import Envelope, EnvelopeKind
from streaming.engine.operators.bucket import BucketOperators
from streaming.spark.abandonable_calls import AbandonableCall, CallAbandoned
from streaming.spark.errors import ComputedTooLong
from streaming.spark.messages.carrier_messages import OF_BATCH, MessageKind, concerns, passes_on
from streaming.spark.messages.envelope import ARROW_SCHEMA, CarrierMessage, packed, row_of, unpacked
from streaming.spark.messages.shared_keys import MapState, StatePage
from streaming.spark.planning.widened_state import widen_bucket
from streaming.spark.query.binding import binding_of
from streaming.spark.query.blame import blame
from streaming.spark.query.layout import CarrierFolder, open_carrier
from streaming.spark.query.savepoints import PARTS, items_of, pieces_of
from streaming.spark.query.state_change import StateChange
from streaming.spark.session.memory import CrashSuspect, at_hand, limit_memory, suspects

_SPARK_ROW: Callable[..., SparkRow] = SparkRow(*ARROW_SCHEMA.names)
_FOR_OPERATORS = frozenset(MessageKind(kind) for kind in get_args(EnvelopeKind))
_KINDS = {
    "rows": MessageKind.ROWS,
    "ctis": MessageKind.MOVED,
    "late": MessageKind.LATE,
    "corrections": MessageKind.CORRECTIONS,
    "failures": MessageKind.FAILURES,
}
"""The message kind of each kind of operator output."""


class BufferedState:
    """A StateStore over Spark's state of a binding: writes wait until the turn has succeeded."""

    def __init__(self, stored: MapState) -> None:
        self._stored = stored
        self._written: dict[str, bytes | None] = {}
        self._asking = threading.Lock()
        self._over = False
        self.flushed = False
        """True once it has started to write."""

    def give_up(self) -> None:
        """Refuse further calls to Spark: a computation past its deadline must not disturb Spark's next work."""
        with self._asking:
            self._over = True

    def get(self, key: str) -> bytes | None:
        """Return the value under `key`, None if there is no value."""
        if key in self._written:
            return self._written[key]
        with self._asking:
            self._refuse_if_over()
            value = self._stored.getValue((key,))
        return None if value is None else bytes(value[0])

    def put(self, key: str, value: bytes) -> None:
        """Store `value` under `key` once the turn has succeeded."""
        self._written[key] = value

    def delete(self, key: str) -> None:
        """Delete `key` once the turn has succeeded."""
        self._written[key] = None

    def keys(self) -> Iterator[str]:
        """Yield all keys, including those of this turn."""
        with self._asking:
            self._refuse_if_over()
            stored = [str(key[0]) for key in self._stored.keys()]  # noqa: SIM118 - not a mapping
        yield from (key for key in stored if key not in self._written)
        yield from (key for key, value in self._written.items() if value is not None)

    def _refuse_if_over(self) -> None:
        if self._over:
            raise CallAbandoned

    def flush(self, *, clear: bool) -> None:
        """Write the changes of the turn; with `clear`, delete all keys instead."""
        self.flushed = True
        if clear:
            self._stored.clear()
            return
        for key, value in self._written.items():
            if value is not None:
                self._stored.updateValue((key,), (value,))
            else:
                self._stored.removeKey((key,))


class StageProcessor(StatefulProcessor):
    """Runs the operators of each binding, and passes on counts, late rows and state changes.

    `number` 0 is the first stage, 1 the second. A carrier has a second stage from its first start on, or never. Most
    plans need no second stage; messages that pass through it then are not decoded.
    """

    def __init__(self, carrier: str, number: int = 0) -> None:
        self._path = carrier
        self._number = number

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the only state variable: text key to bytes."""
        limit_memory()
        self._state = handle.getMapState("state", "key string", "value binary")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[Any]:  # noqa: ARG002, N802, N803
        """Yield the output for one key's envelopes of one batch: those of a binding, or of all bindings of a page."""
        came = list(rows)
        by_binding: dict[str, list[CarrierMessage]] = {}
        for each in (each for row in came for each in unpacked(*row)):
            by_binding.setdefault(each.binding, []).append(each)
        if self._number and not any(concerns(each.kind, 1) for mine in by_binding.values() for each in mine):
            yield from came
            return
        pages = self._carrier.settings.pages
        for row in packed(self._turns(by_binding, StatePage(self._state) if pages else None), pages):
            yield _SPARK_ROW(*row)

    def close(self) -> None:
        """Do nothing: no resource is open."""

    @cached_property
    def _carrier(self) -> CarrierFolder:
        """The carrier as it is when the task starts: Spark makes a stage for each task."""
        return open_carrier(self._path)

    @cached_property
    def _suspects(self) -> Mapping[str, CrashSuspect]:
        return suspects(self._carrier.local)

    def _turns(
        self, by_binding: Mapping[str, list[CarrierMessage]], page: StatePage | None
    ) -> Iterator[CarrierMessage]:
        for binding, taken in by_binding.items():
            yield from self._turn(taken, self._state if page is None else page.of(binding))
        if page is not None:
            page.write()

    def _turn(self, taken: list[CarrierMessage], stored: MapState) -> list[CarrierMessage]:
        carrier, first, state = self._carrier, taken[0], BufferedState(stored)
        try:
            words = [row for row in taken if row.kind is MessageKind.STATE]
            failed = [row for row in words if StateChange.of_json(row.chunk).state == "failed"]
            if failed:
                return failed[:1]
            with at_hand(carrier.local, first.binding, first.batch):
                return self._compute(carrier, taken, state)
        except Exception as error:  # noqa: BLE001 - a binding's fault ends here, the others continue
            undo = state.flushed or self._number > 0 or not carrier.isolates(first.entry)
            change = blame(carrier, first.binding, error, "computing the results", undo=undo)
            return [CarrierMessage(*_who(first), "", "", 0, 0, MessageKind.STATE, change.to_json())]

    def _compute(
        self, carrier: CarrierFolder, taken: list[CarrierMessage], state: BufferedState
    ) -> list[CarrierMessage]:
        found = self._suspects.get(taken[0].binding)
        if found is not None:
            away, computes = carrier.settings.sends_away, any(row.kind in _FOR_OPERATORS for row in taken)
            found.refuse(taken[0].batch, computes=computes, sends_away=away)
        saved = self._savepoint_rows(taken, state)
        for row in taken:
            if row.kind is MessageKind.ENTER and row.input == PARTS[self._number]:
                for _, _, key, value in items_of(row.chunk):
                    state.put(key, value)
            if row.kind is MessageKind.WIDEN:
                widen_bucket(carrier, int(row.chunk), row.entry, self._number, state)
        released = self._run_within(
            partial(self._run_operators, taken, state), state, carrier.settings.compute_deadline_s
        )
        onward = saved + released + [row for row in taken if self._passes(row, carrier.settings.stages)]
        state.flush(clear=any(row.kind is MessageKind.CLEAR for row in taken))
        return onward

    def _passes(self, row: CarrierMessage, stages: int) -> bool:
        """Return True if `row` passes on unchanged: to the sink, or from the first of two `stages` to the second."""
        mine = row.kind is MessageKind.ENTER and row.input == PARTS[self._number]
        return passes_on(row.kind, self._number, stages) and not mine

    def _run_within(
        self, compute: Callable[[], list[CarrierMessage]], state: BufferedState, deadline_s: float
    ) -> list[CarrierMessage]:
        """Return the result of `compute`, or raise `ComputedTooLong`; it then stops at its next state call."""
        errand = AbandonableCall(compute)
        if not errand.wait(deadline_s):
            state.give_up()
            raise ComputedTooLong(deadline_s)
        return errand.result()

    def _savepoint_rows(self, taken: list[CarrierMessage], state: BufferedState) -> list[CarrierMessage]:
        """Return the state from before this batch if a savepoint is taken; one bucket adds the head."""
        asked = next((row for row in taken if row.kind is MessageKind.SAVE), None)
        if asked is None:
            return []
        bucket = self._carrier.control.added(asked.entry).bucket_ids.index(asked.bucket)
        who = _who(asked)
        stored = ((key, state.get(key)) for key in sorted(state.keys()))
        part = PARTS[self._number]
        items = ((part, bucket, key, value) for key, value in stored if value is not None)
        rows = [
            CarrierMessage(*who, f"{part}-{bucket}", "", number, 0, MessageKind.SAVED, piece)
            for number, piece in enumerate(pieces_of(items))
        ]
        if bucket == 0 and not self._number:
            rows.append(CarrierMessage(*who, "head", "", 0, 0, MessageKind.SAVED, bytes(asked.chunk)))
        return rows

    def _run_operators(self, taken: list[CarrierMessage], state: BufferedState) -> list[CarrierMessage]:
        mine = sorted(
            (row for row in taken if row.kind in _FOR_OPERATORS), key=lambda row: (row.input, row.lane, row.seq)
        )
        if not mine:
            return []
        first = mine[0]
        binding = binding_of(self._carrier, first.entry)
        bucket = binding.bucket_ids.index(first.bucket)
        envelopes = [
            Envelope(bucket, row.input, row.lane, row.seq, row.cti, row.kind, bytes(row.chunk))  # type: ignore[arg-type]
            for row in mine
        ]
        stage = binding.plan.second if self._number else binding.plan
        operators = BucketOperators(stage or binding.plan, bucket, state)
        found = []
        came = {row.kind for row in taken}
        mark = " ".join(kind for kind in OF_BATCH if kind in came)
        for number, output in enumerate(operators.turn(first.batch, envelopes)):
            found.append(
                CarrierMessage(*_who(first), output.output, mark, number, 0, _KINDS[output.kind], output.chunk)
            )
        who, ids = (first.entry, first.batch), binding.bucket_ids
        return found + [
            row_of(each, first.binding, ids[each.bucket], *who)
            for each in sorted(operators.onward, key=lambda each: each.bucket)
        ]


def _who(row: CarrierMessage) -> tuple[str, int, int, int]:
    return row.binding, row.bucket, row.entry, row.batch
