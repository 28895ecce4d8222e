"""Why a binding has given no row at a time: what is held back there and by which CTI, and what ended or came late."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streaming.definition.counts import counted
from streaming.definition.graph import TopKNode, WindowNode
from streaming.definition.late_checks import grace_of
from streaming.definition.streams import Rowtime
from streaming.definition.wiring import feeding
from streaming.planning.soundness import checked_graph
from streaming.reference.executor import ReferenceRun
from streaming.reference.explain import Absence
from streaming.reference.output import OutputRow
from streaming.simulator.replaying import PlaceRead
from streaming.simulator.traced import PlaceTrace, StandingRow
from streaming.simulator.tracing import KnownInput, Tracer
from streaming.simulator.words import closes_at, finite, never_moves, stands_at, would_bring
from streaming.temporal.events import Event
from streaming.temporal.ticks import INFINITY, NO_CTI
from streaming.wire.case import ONLY_LANE
from streaming.wire.payload_json import payload_to_json


@dataclass(frozen=True)
class AskedPlace:
    """A time of an output, and, where `key` says some fields, the rows that have these values."""

    output: str
    at: int
    key: Mapping[str, Any]


class UnknownResultField(ValueError):
    """The key of a place names a field that rows of the output do not have; a sentence that says which they have."""


def trace_place(known: KnownInput, asked: AskedPlace, now: Mapping[str, int]) -> PlaceTrace:
    """Why there is nothing; `now` are the CTIs of the inputs, NO_CTI for none.

    Raises `UnknownResultField`, and `Unsound`."""
    tracer = Tracer(known, [asked.at, *(tick for tick in now.values() if tick != NO_CTI)])
    fields = tracer.schemas[asked.output]
    for name in asked.key:
        if name not in fields:
            raise UnknownResultField(f"Rows of {asked.output!r} have no field {name!r}: they have {', '.join(fields)}.")
    whole, run = tracer.flushed(in_time=False), tracer.fed()
    for node, tick in now.items():
        if tick != NO_CTI:
            tracer.raise_to(run, node, tick)
    teller = _PlaceTeller(tracer, asked, now)
    there = teller.living(whole)
    given = {row.flow.id for row in run.outputs if row.output == asked.output}
    standing = [teller.given(row) for row in there if row.flow.id in given]
    standing += teller.held(run, [row for row in there if row.flow.id not in given])
    would = teller.living(tracer.flushed(in_time=True)) if known.dropped else []
    missed = tracer.missed(would, there)
    ended = dict(teller.ended(whole))
    told = tracer.told(ended, ended)
    why = teller.summary(standing, len(missed.rows) + missed.left_out, len(ended))
    return PlaceTrace(why=why, standing=standing, missed=missed, ended=told)


@dataclass(frozen=True)
class _PlaceTeller:
    tracer: Tracer
    asked: AskedPlace
    now: Mapping[str, int]

    def living(self, run: ReferenceRun) -> list[OutputRow]:
        """The rows that stand at the place in the end."""
        rows = (row for row in run.outputs if row.output == self.asked.output)
        return [
            row for row in rows if row.flow.start <= self.asked.at < row.flow.end and self._fits(self._payload(row))
        ]

    def given(self, row: OutputRow) -> StandingRow:
        """A row that is there already."""
        return self._standing(row, given=True, why=[])

    def held(self, run: ReferenceRun, rows: Sequence[OutputRow]) -> list[StandingRow]:
        """Rows that have not been given, with what they wait for: `run` is brought on until it lets them go."""
        needs: dict[Any, int] = {}
        for tick in self._candidates(rows):
            for node in self.inputs:
                self.tracer.raise_to(run, node, max(tick, self.now.get(node, NO_CTI)))
            free = {row.flow.id for row in run.outputs if row.output == self.asked.output}
            for row in rows:
                if row.flow.id in free:
                    needs.setdefault(row.flow.id, tick)
        return [self._standing(row, given=False, why=self._waits(needs.get(row.flow.id))) for row in rows]

    @property
    def inputs(self) -> list[str]:
        """The inputs whose rows reach the output."""
        near = feeding(self.tracer.plain.graph, self.asked.output)
        return [node for node in self.tracer.plain.streams if node in near]

    def ended(self, whole: ReferenceRun) -> Iterator[tuple[PlaceRead, Absence]]:
        """Rows that lived there and are in no result, and why."""
        in_results = {source for row in whole.outputs for source in row.flow.sources}
        for step in self.tracer.steps:
            place, element = step.place, step.standing
            if not isinstance(element, Event) or place[0] not in self.inputs or not self._lives(element):
                continue
            identity = self.tracer.ids[place]
            if identity in in_results:
                continue
            missing = whole.why_absent(identity)
            if missing is not None:
                yield place, missing

    def summary(self, standing: Sequence[StandingRow], missed: int, ended: int) -> list[str]:
        """What there is, in a sentence each."""
        when, output = self.tracer.times.at(self.asked.at), self.asked.output
        given = sum(row.given for row in standing)
        found = [f"At {when} {output!r} has {counted(given, 'row')}."] if given else []
        if given < len(standing):
            found.append(f"{output!r} holds {counted(len(standing) - given, 'row')} back that would stand there.")
        if missed:
            found.append(f"Not taken at the door: {counted(missed, 'row')}, which would have counted there.")
        if ended:
            found.append(f"In no result: {counted(ended, 'row')}, which lived there.")
        if found:
            return found
        key = "".join(f" with {name} = {value}" for name, value in self.asked.key.items())
        return [f"No row that was read again lives at {when}{key}, so that {output!r} has none.", *self._how_far()]

    def _how_far(self) -> Iterator[str]:
        """How far the inputs have come."""
        events = self.tracer.known.read.elements.items()
        for node in self.inputs:
            starts = [event.start for place, event in events if place[0] == node and isinstance(event, Event)]
            if starts and max(starts) < self.asked.at:
                yield f"The latest start of {node!r} so far is {self.tracer.times.at(max(starts))}."

    def _candidates(self, rows: Sequence[OutputRow]) -> list[int]:
        """The CTIs at which such rows are let go: at a start or an end, or where a window is closed."""
        query = self.tracer.known.query
        graph = checked_graph(self.tracer.plain.graph, self.tracer.plain.streams, self.tracer.plain.advance)
        windows = (node for node in query.graph.nodes if isinstance(node, WindowNode | TopKNode))
        graces = {0, *(grace_of(node, graph.graph, graph.advance) for node in windows)}
        ends = {tick for row in rows for tick in (row.flow.start, row.flow.end) if tick != INFINITY}
        return sorted(tick + grace for tick in ends for grace in graces)

    def _waits(self, need: int | None) -> list[str]:
        if need is None:
            ends = "It comes when its inputs have ended, or their CTIs have passed all that may still change it."
            return [ends, *(self._input(node) for node in self.inputs)]
        waiting = [node for node in self.inputs if self.now.get(node, NO_CTI) < need]
        found = [f"{closes_at(self.tracer.times.at(need))}."]
        for node in waiting:
            found += [self._input(node), *self._lanes(node, need), *self._brings(node, need)]
        return found

    def _input(self, node: str) -> str:
        at = self.now.get(node, NO_CTI)
        if at == NO_CTI and not self._has_clock(node):
            return never_moves(node)
        return stands_at(node, None if at == NO_CTI else self.tracer.times.at(at))

    def _lanes(self, node: str, need: int) -> Iterator[str]:
        """Which of several lanes hold the input back, where their clocks hang on their rows alone."""
        lanes = self.tracer.plain.streams[node].lanes or [ONLY_LANE]
        known = [lane for lane in lanes if (node, lane) in self.tracer.stories.by_lane]
        if len(lanes) > 1 and len(known) == len(lanes):
            back = [lane for lane in lanes if self.tracer.stories.reached(node, lane, need) is None]
            names = ", ".join(repr(lane) for lane in back)
            if back and len(back) < len(lanes):
                yield f"Of its lanes all have come so far but {names}."

    def _brings(self, node: str, need: int) -> Iterator[str]:
        settings = self.tracer.known.query.advance[node]
        if settings.import_from is not None:
            yield f"It is imported from {settings.import_from!r}."
        if settings.generate is not None:
            which = "A row" if settings.generate.every_count == 1 else "A row that brings a CTI"
            lanes = " in each of its lanes" if len(self.tracer.plain.streams[node].lanes or ()) > 1 else ""
            start = self.tracer.times.at(need + settings.generate.delay)
            yield would_bring(which, node, start, lanes)

    def _has_clock(self, node: str) -> bool:
        settings, stream = self.tracer.known.query.advance[node], self.tracer.known.query.streams[node]
        brought = settings.generate is not None or settings.import_from is not None
        return brought or settings.late_arrival is not None or stream.rowtime is Rowtime.IMPLICIT

    def _standing(self, row: OutputRow, *, given: bool, why: list[str]) -> StandingRow:
        flow = row.flow
        return StandingRow(start=flow.start, end=finite(flow.end), payload=self._payload(row), given=given, why=why)

    def _payload(self, row: OutputRow) -> dict[str, Any]:
        return payload_to_json(row.flow.payload, self.tracer.schemas[self.asked.output])

    def _fits(self, payload: Mapping[str, Any]) -> bool:
        return all(_is_same(payload.get(name), value) for name, value in self.asked.key.items())

    def _lives(self, event: Event) -> bool:
        said = {name: value for name, value in event.payload.items() if name in self.asked.key}
        return event.start <= self.asked.at < event.end and self._fits({**self.asked.key, **said})


def _is_same(value: Any, asked: Any) -> bool:
    """Whether a value is the one that is asked for, which may be typed as text."""
    return value == asked or (isinstance(asked, str) and not isinstance(value, str) and asked == json.dumps(value))
