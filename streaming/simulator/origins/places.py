"""Why a binding has emitted no row at a time: rows that are not released and their CTI, ended rows, late rows."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from streaming.definition.checks.late_events import grace_of
from streaming.definition.checks.wiring import feeding
from streaming.definition.counts import counted
from streaming.definition.graph import TopKNode, WindowNode
from streaming.definition.streams.stream import Rowtime
from streaming.planning.validity import checked_graph
from streaming.reference.executor import ReferenceRun
from streaming.reference.explain import Absence
from streaming.reference.output import OutputRow
from streaming.simulator.origins.matches import ReplayedMatches
from streaming.simulator.origins.traced import PlaceTrace, StandingRow
from streaming.simulator.origins.tracing import KnownInput, Tracer
from streaming.simulator.replay.replaying import PlaceRead
from streaming.simulator.words import closes_at, finite, never_moves, stands_at, would_bring
from streaming.temporal.events import Event
from streaming.temporal.ticks import INFINITY, NO_CTI, Tick
from streaming.wire.execution.case import ONLY_LANE
from streaming.wire.rows.payload_json import payload_to_json


@dataclass(frozen=True)
class AskedPlace:
    """A time of an output; `key` restricts it to rows with these values of fields."""

    output: str
    at: int
    key: Mapping[str, Any]


class UnknownResultField(ValueError):
    """The key of a place names a field that rows of the output do not have; the message lists their fields."""


def trace_place(known: KnownInput, asked: AskedPlace, now: Mapping[str, int]) -> PlaceTrace:
    """Explain why there is no row; `now` are the CTIs of the inputs, NO_CTI for none.

    Raises `UnknownResultField`, and `InvalidDefinition`.
    """
    tracer = Tracer(known, [asked.at, *(tick for tick in now.values() if tick != NO_CTI)])
    fields = tracer.schemas[asked.output]
    for name in asked.key:
        if name not in fields:
            raise UnknownResultField(f"Rows of {asked.output!r} have no field {name!r}: they have {', '.join(fields)}.")
    matches = ReplayedMatches.of(tracer, now)
    whole, run = tracer.flushed(in_time=False), matches.run
    for node, tick in now.items():
        if tick != NO_CTI:
            tracer.raise_to(run, node, tick)
    attempts = matches.at(asked.output, Tick(asked.at), asked.key)
    teller = _PlaceTeller(tracer, asked, now)
    there = teller.living(whole)
    emitted = {row.flow.id for row in run.outputs if row.output == asked.output}
    standing = [teller.emitted_row(row) for row in there if row.flow.id in emitted]
    standing += teller.held(run, [row for row in there if row.flow.id not in emitted])
    would = teller.living(tracer.flushed(in_time=True)) if known.dropped else []
    missed = tracer.missed(would, there)
    ended = dict(teller.ended(whole))
    traced = tracer.trace(ended, ended)
    why = teller.summary(standing, len(missed.rows) + missed.left_out, len(ended)) + attempts
    return PlaceTrace(why=why, standing=standing, missed=missed, ended=traced)


@dataclass(frozen=True)
class _PlaceTeller:
    tracer: Tracer
    asked: AskedPlace
    now: Mapping[str, int]

    def living(self, run: ReferenceRun) -> list[OutputRow]:
        """Return the rows at the place at the end of the run."""
        rows = (row for row in run.outputs if row.output == self.asked.output)
        return [
            row for row in rows if row.flow.start <= self.asked.at < row.flow.end and self._fits(self._payload(row))
        ]

    def emitted_row(self, row: OutputRow) -> StandingRow:
        """Return a row that was already emitted."""
        return self._standing(row, given=True, why=[])

    def held(self, run: ReferenceRun, rows: Sequence[OutputRow]) -> list[StandingRow]:
        """Return rows that were not emitted yet, and what they wait for: `run` advances until it releases them."""
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
        """Return the inputs whose rows reach the output."""
        near = feeding(self.tracer.plain.graph, self.asked.output)
        return [node for node in self.tracer.plain.streams if node in near]

    def ended(self, whole: ReferenceRun) -> Iterator[tuple[PlaceRead, Absence]]:
        """Yield rows that lived there and are in no result, and why."""
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
        """Summarise what there is, in a sentence each."""
        when, output = self.tracer.times.at(self.asked.at), self.asked.output
        given = sum(row.given for row in standing)
        found = [f"At {when} {output!r} has {counted(given, 'row')}."] if given else []
        if given < len(standing):
            found.append(f"{output!r} still holds {counted(len(standing) - given, 'row')} that would be there.")
        if missed:
            found.append(f"Rejected by the input: {counted(missed, 'row')}, which would have counted there.")
        if ended:
            found.append(f"In no result: {counted(ended, 'row')}, which lived there.")
        if found:
            return found
        key = "".join(f" with {name} = {value}" for name, value in self.asked.key.items())
        return [f"No row that was read again lives at {when}{key}, so {output!r} has none.", *self._how_far()]

    def _how_far(self) -> Iterator[str]:
        """Report how far the inputs have come."""
        events = self.tracer.known.every.elements.items()
        for node in () if self.tracer.known.partial else self.inputs:
            starts = [event.start for place, event in events if place[0] == node and isinstance(event, Event)]
            if starts and max(starts) < self.asked.at:
                yield f"The latest start of {node!r} so far is {self.tracer.times.at(max(starts))}."

    def _candidates(self, rows: Sequence[OutputRow]) -> list[int]:
        """Return the CTIs that can release such rows: a start, an end, or the closing of a window."""
        query = self.tracer.known.query
        graph = checked_graph(self.tracer.plain.graph, self.tracer.plain.streams, self.tracer.plain.advance)
        windows = (node for node in query.graph.nodes if isinstance(node, WindowNode | TopKNode))
        graces = {0, *(grace_of(node, graph.graph, graph.advance) for node in windows)}
        ends = {tick for row in rows for tick in (row.flow.start, row.flow.end) if tick != INFINITY}
        return sorted(tick + grace for tick in ends for grace in graces)

    def _waits(self, need: int | None) -> list[str]:
        if need is None:
            ends = "It comes when its inputs have ended or their CTIs have passed everything that can still change it."
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
        """Name the lanes that delay the input, if only rows move their clocks."""
        lanes = self.tracer.plain.streams[node].lanes or [ONLY_LANE]
        known = [lane for lane in lanes if (node, lane) in self.tracer.stories.by_lane]
        if len(lanes) > 1 and len(known) == len(lanes):
            back = [lane for lane in lanes if self.tracer.stories.reached(node, lane, need) is None]
            names = ", ".join(repr(lane) for lane in back)
            if back and len(back) < len(lanes):
                yield f"All of its lanes have reached it except {names}."

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
        values = {name: value for name, value in event.payload.items() if name in self.asked.key}
        return event.start <= self.asked.at < event.end and self._fits({**self.asked.key, **values})


def _is_same(value: Any, asked: Any) -> bool:
    """Return true if a value is the requested one, which may be typed as text."""
    return value == asked or (isinstance(asked, str) and not isinstance(value, str) and asked == json.dumps(value))
