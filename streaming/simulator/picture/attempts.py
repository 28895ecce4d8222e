"""The attempts of sequences for the picture, and their part in the explanations of rows and of empty places."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from streaming.definition.counts import counted
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.reference.flow import CausingCti, Flow
from streaming.reference.operators.per_event import PerEvent
from streaming.reference.sequences.path import Match
from streaming.simulator.model import AttemptRow, AttemptState, AttemptStatus, SimulatedAttempt
from streaming.simulator.picture.attempt_words import AttemptWords, MissedEnd, missed_ends
from streaming.simulator.picture.cti_words import CtiWords
from streaming.simulator.picture.outcome_words import smallest_delay
from streaming.simulator.picture.waiting import WaitingWords
from streaming.simulator.recorded.attempts import AttemptStep, NodeAttempts, RecordedAttempt
from streaming.simulator.recorded.missing import as_it_came, way_to
from streaming.simulator.recorded.record import RecordedRun
from streaming.simulator.words import MOST_LISTED, rows_named
from streaming.temporal.outcomes import IN_TIME
from streaming.temporal.ticks import Tick
from streaming.wire.rows.payload_json import payload_to_json


@dataclass(frozen=True)
class AttemptFormatter:
    """Formats the attempts of a recorded run."""

    recorded: RecordedRun
    words: CtiWords
    waiting: WaitingWords
    by_node: Mapping[str, AttemptWords] = field(init=False)

    def __post_init__(self) -> None:
        graph = {node.id: node for node in self.recorded.checked.graph.nodes}
        found = {}
        for name, attempts in self.recorded.attempts.items():
            node = graph[name]
            assert isinstance(node, MatchRecognizeNode)  # nosec B101 # nothing else has attempts
            found[name] = AttemptWords(
                node,
                attempts,
                self.words.times,
                self._named,
                self._decided_by,
                lambda at, of=name: self.waiting.needs(of, at),  # type: ignore[misc]
            )
        object.__setattr__(self, "by_node", found)

    def attempts(self) -> list[SimulatedAttempt]:
        """Return every attempt of every sequence, in the order in which they began."""
        found: list[SimulatedAttempt] = []
        for words in self.by_node.values():
            made = self._made(words.attempts)
            for attempt in words.attempts.all:
                rows = made.get((attempt.key, attempt.first), [])
                found.append(self._attempt(len(found) + 1, words, attempt, rows))
        return found

    # Sentences

    def of_row(self, number: int) -> list[str]:
        """Explain the part of a row in the attempts of sequences."""
        found: list[str] = []
        for words in self.by_node.values():
            parts = self._by_row[words.node.id].get(number, ())
            found += parts[:MOST_LISTED]
            if len(parts) > MOST_LISTED:
                found.append(
                    f"It was tried by {counted(len(parts) - MOST_LISTED, 'more attempt')} of {words.node.id!r}."
                )
        return found

    def at(self, node: str, at: Tick) -> Iterator[str]:
        """Explain the attempts of `node` that concern the time `at`."""
        words = self.by_node.get(node)
        if words is None:
            return
        attempts = words.attempts
        near = [each for each in attempts.all if each.flow.start <= at <= attempts.span_end(each)]
        for attempt in near[:MOST_LISTED]:
            sentences = self._sentences(words, attempt)
            name = "" if words.starts_nothing(attempt.last) else f"{words.full_name(attempt)}: "
            yield f"{name}{' '.join(sentences)}"
        if len(near) > MOST_LISTED:
            yield f"{counted(len(near) - MOST_LISTED, 'more attempt')} of {node!r} concern this time."
        if not near and attempts.all:
            yield f"No attempt of {node!r} concerns this time: none of its rows is near enough."

    @cached_property
    def _by_row(self) -> Mapping[str, Mapping[int, Sequence[str]]]:
        """The sentences on each row, by sequence and number of the row."""
        found: dict[str, dict[int, list[str]]] = {}
        for name, words in self.by_node.items():
            rows = found[name] = {}
            for attempt in words.attempts.all:
                for number, sentence in self._roles(words, attempt).items():
                    rows.setdefault(number, []).append(sentence)
            later = f"It waits in {name!r}: earlier rows may still follow, because the CTI has not passed its start."
            for key in words.attempts.operator.groups:
                for flow in words.attempts.waiting(key):
                    for number in self._numbers(flow):
                        rows.setdefault(number, []).append(later)
        return found

    def _roles(self, words: AttemptWords, attempt: RecordedAttempt) -> Mapping[int, str]:
        """Return a sentence for each row that the attempt tried, by its number."""
        attempts, last = words.attempts, attempt.last
        flows, sentences = attempts.flows(attempt.key), self._sentences(words, attempt)
        matched = last.decided is not None and isinstance(last.decided.found, Match)
        found = {
            number: f"In time, it would have ended the absence in {words.name(attempt)}."
            for missed in self._missed(words, attempt)
            for number in self._numbers(missed.flow)
        }
        for stop in last.trace.reasons:
            for number in () if stop.row is None else self._numbers(flows[stop.row]):
                found[number] = f"It ended {words.name(attempt)}. {' '.join(sentences)}"
        for path, flow in attempts.taken(attempt):
            for number in self._numbers(flow):
                where = f"the match from {self._named([attempt.flow])}" if matched else words.name(attempt)
                rest = "" if matched else f" {' '.join(sentences[1:])}"
                found[number] = f"It is {path.variable} in {where}.{rest}"
        starts = "" if words.starts_nothing(last) else f"An attempt of {words.node.id!r} begins here. "
        for number in self._numbers(attempt.flow):
            found[number] = f"{starts}{' '.join(sentences)}"
        return found

    def _sentences(self, words: AttemptWords, attempt: RecordedAttempt) -> list[str]:
        found = words.step(attempt, attempt.last, self._missed(words, attempt))
        return found if attempt.last.decided is not None else [*found, *words.waits_now(attempt)]

    def _named(self, flows: Sequence[Flow]) -> str:
        return rows_named(sorted({number for flow in flows for number in self._numbers(flow)}))

    def _numbers(self, flow: Flow) -> list[int]:
        return self.recorded.flows.numbers(flow)

    def _decided_by(self, cause: CausingCti) -> str:
        return self.words.set_by(cause.input, self.recorded.clocks.at_cti(cause.input, cause.cti))

    # Late rows (T39)

    @cached_property
    def _late(self) -> Mapping[str, Sequence[tuple[Flow, int | None]]]:
        """The late rows of each sequence as they would have reached it, with the smallest delay that keeps them."""
        found: dict[str, list[tuple[Flow, int | None]]] = {name: [] for name in self.by_node}
        for name in found:
            way = way_to(self.recorded.lineage.sources, self.recorded.run, name)
            if way is not None:
                found[name] = list(self._late_on(way[0], way[1]))
        return found

    def _late_on(self, source: str, way: Sequence[PerEvent]) -> Iterator[tuple[Flow, int | None]]:
        for identity, judged in self.recorded.run.judged.items():
            if identity.input == source and judged.original is not None and judged.outcome not in IN_TIME:
                flow = as_it_came(judged.original, way, frozenset((identity,)))
                if flow is not None:
                    yield flow, smallest_delay(judged, self.recorded.settings[source])

    def _missed(self, words: AttemptWords, attempt: RecordedAttempt) -> list[MissedEnd]:
        """Return the late rows that would have ended the absence in the match of `attempt`."""
        return missed_ends(words.attempts, attempt, self._late[words.node.id])

    # The picture

    def _made(self, attempts: NodeAttempts) -> Mapping[tuple[object, int], list[int]]:
        """Return the rows of the node by group and first row of the attempt that gave them."""
        found: dict[tuple[object, int], list[int]] = {}
        for row in self.recorded.flows.by_node.get(attempts.node, ()):
            result = attempts.operator.made.get(row.flow.id)
            if result is not None and not row.deleted:
                found.setdefault((row.flow.id[0], result.first), []).append(row.id)  # type: ignore[index]
        return found

    def _attempt(self, number: int, words: AttemptWords, attempt: RecordedAttempt, rows: list[int]) -> SimulatedAttempt:
        fields = self.recorded.checked.schemas[words.node.input]
        group = dict(zip(words.node.group_by, attempt.key, strict=True))
        until = words.attempts.until(attempt)
        return SimulatedAttempt(
            id=number,
            node=words.node.id,
            group=payload_to_json(group, {name: fields[name] for name in group}),
            first=self._numbers(attempt.flow),
            start=attempt.flow.start,
            until=until,
            states=list(self._states(words, attempt)),
            results=rows,
        )

    def _states(self, words: AttemptWords, attempt: RecordedAttempt) -> Iterator[AttemptState]:
        before: list[AttemptRow] = []
        for step in attempt.steps:
            flows = words.attempts.flows(attempt.key)
            path = step.path
            rows = (
                []
                if path is None
                else [
                    AttemptRow(rows=self._numbers(flows[each.last]), variable=each.variable, excluded=each.excluded)
                    for each in path.prefixes()
                ]
            )
            kept = 0
            while kept < min(len(before), len(rows)) and before[kept] == rows[kept]:
                kept += 1
            last = step is attempt.last
            ended = [flows[each.row] for each in step.trace.reasons if each.row is not None]
            yield AttemptState(
                after=step.after,
                status=_status(step),
                kept=kept,
                taken=rows[kept:],
                ended_by=sorted({number for flow in ended for number in self._numbers(flow)}),
                next=list(dict.fromkeys(each.variable for each in step.trace.reasons)),
                why=self._sentences(words, attempt) if last else words.step(attempt, step),
            )
            before = rows


def _status(step: AttemptStep) -> AttemptStatus:
    if step.decided is None:
        return "open"
    return "matched" if isinstance(step.decided.found, Match) else "failed"
