"""The attempts of sequences in the replayed input of a binding: of a match, and of a place without a row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from streaming.definition.checks.wiring import feeding
from streaming.definition.counts import counted
from streaming.definition.graph import sources
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.reference.executor import ReferenceRun
from streaming.reference.flow import CausingCti, Flow
from streaming.reference.output import OutputRow
from streaming.reference.sequences.path import Match
from streaming.reference.sequences.sequence import SequenceOperator
from streaming.simulator.origins.tracing import Tracer
from streaming.simulator.picture.attempt_words import AttemptWords, missed_ends
from streaming.simulator.recorded.attempts import NodeAttempts, RecordedAttempt
from streaming.simulator.recorded.missing import as_it_came, way_to
from streaming.simulator.words import MOST_LISTED, stands_at
from streaming.temporal.events import Event
from streaming.temporal.ticks import NO_CTI, Tick


@dataclass(frozen=True)
class ReplayedMatches:
    """The sequences of `run`, a run of `tracer`; `now` are the CTIs that its inputs have reached."""

    tracer: Tracer
    run: ReferenceRun
    now: Mapping[str, int]
    by_node: Mapping[str, NodeAttempts]

    @classmethod
    def of(cls, tracer: Tracer, now: Mapping[str, int]) -> "ReplayedMatches":
        """Run the input before any CTI, and observe its sequences."""
        found: dict[str, NodeAttempts] = {}

        def observe(run: ReferenceRun) -> None:
            for name, operator in run.operators.items():
                if isinstance(operator, SequenceOperator):
                    found[name] = NodeAttempts(name, operator, lambda: run.trace.cause)

        return cls(tracer, tracer.fed(observe), now, found)

    def of_result(self, row: OutputRow) -> list[str]:
        """Explain the matches that made a row."""
        found = [
            " ".join(self._sentences(words, attempt))
            for words in self._words(row.output)
            for attempt in words.attempts.all
            if attempt.steps and self._makes(words.attempts, attempt, row.flow)
        ]
        return _listed(found, "more match", "more matches")

    def at(self, output: str, at: Tick, key: Mapping[str, Any]) -> list[str]:
        """Explain the attempts that concern the time `at`, in groups with the values of `key`."""
        found = []
        for words in self._words(output):
            words.attempts.step_done()
            for attempt in words.attempts.all:
                near = attempt.flow.start <= at <= words.attempts.span_end(attempt)
                group = dict(zip(words.node.group_by, attempt.key, strict=True))
                if near and all(str(key.get(name, value)) == str(value) for name, value in group.items()):
                    starts = "" if words.starts_nothing(attempt.last) else f"{words.full_name(attempt)}: "
                    found.append(f"{starts}{' '.join(self._sentences(words, attempt))}")
        return _listed(found, "more attempt", "more attempts")

    def _words(self, output: str) -> Iterator[AttemptWords]:
        near = feeding(self.tracer.plain.graph, output)
        for node in self.tracer.plain.graph.nodes:
            if isinstance(node, MatchRecognizeNode) and node.id in near and node.id in self.by_node:
                attempts = self.by_node[node.id]
                yield AttemptWords(node, attempts, self.tracer.times, self._named, self._decided_by, self._needs)

    def _sentences(self, words: AttemptWords, attempt: RecordedAttempt) -> list[str]:
        found = words.step(attempt, attempt.last, missed_ends(words.attempts, attempt, self._late[words.node.id]))
        return found if attempt.last.decided is not None else [*found, *words.waits_now(attempt)]

    def _makes(self, attempts: NodeAttempts, attempt: RecordedAttempt, flow: Flow) -> bool:
        """Return whether the match of an attempt is `flow`, or one of the rows that made it."""
        if attempt.last.decided is None or not isinstance(attempt.last.decided.found, Match):
            return False
        result = attempts.operator.made.get(flow.id)
        if result is not None:
            return flow.id[0] == attempt.key and result.first == attempt.first  # type: ignore[index]
        taken = {element for _, each in attempts.taken(attempt) for element in each.sources}
        return bool(taken) and taken <= flow.sources

    def _named(self, flows: Sequence[Flow]) -> str:
        shown = [self.tracer.times.at(flow.start) for flow in flows[:MOST_LISTED]]
        if len(flows) == 1:
            return f"the row at {shown[0]}"
        more = len(flows) - len(shown)
        return f"the rows at {', '.join(shown)} and {more} more" if more else f"the rows at {' and '.join(shown)}"

    def _decided_by(self, cause: CausingCti) -> str:
        return f"the CTI {self.tracer.times.at(cause.cti)}"

    def _needs(self, until: Tick) -> str:
        del until
        ctis = [stands_at(name, None if at == NO_CTI else self.tracer.times.at(at)) for name, at in self.now.items()]
        return f". {' '.join(ctis)}" if ctis else "."

    @cached_property
    def _late(self) -> Mapping[str, Sequence[tuple[Flow, int | None]]]:
        """The dropped rows as they would have reached each sequence, with the smallest delay that keeps them."""
        before = {node.id: sources(node) for node in self.tracer.plain.graph.nodes}
        found: dict[str, list[tuple[Flow, int | None]]] = {}
        for name in self.by_node:
            found[name] = []
            way = way_to(before, self.run, name)
            for place, event in self.tracer.known.dropped.items() if way is not None else ():
                if way is not None and place[0] == way[0] and isinstance(event, Event):
                    flow = as_it_came(event, way[1])
                    found[name] += [] if flow is None else [(flow, self.tracer.smallest_delay_of(place))]
        return found


def _listed(sentences: Sequence[str], one: str, more: str) -> list[str]:
    rest = len(sentences) - MOST_LISTED
    return [*sentences[:MOST_LISTED], *([f"There are {counted(rest, one, more)}."] if rest > 0 else [])]
