"""Sentences on the attempts of a sequence: the rows that each took, where it ended or waits, the CTI that decides."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from streaming.definition.counts import counted
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.reference.flow import CausingCti, Flow
from streaming.reference.sequences.path import Match
from streaming.reference.sequences.search import MOST_CONDITIONS, Unmatched
from streaming.reference.sequences.traced import PathStop, StopReason
from streaming.reference.windows.panes import group_key
from streaming.simulator.recorded.attempts import AttemptStep, NodeAttempts, RecordedAttempt
from streaming.simulator.words import MOST_LISTED, TimeWords, length
from streaming.temporal.ticks import INFINITY, Tick


@dataclass(frozen=True)
class MissedEnd:
    """A late row that would have ended the absence of a match; `delay` would have kept it, None if none would."""

    flow: Flow
    delay: int | None


@dataclass(frozen=True)
class AttemptWords:
    """The sentences of one sequence.

    `rows_named` names rows, `decided_by` a CTI, and `needs` says at the end of a sentence what would bring a CTI.
    """

    node: MatchRecognizeNode
    attempts: NodeAttempts
    times: TimeWords
    rows_named: Callable[[Sequence[Flow]], str]
    decided_by: Callable[[CausingCti], str]
    needs: Callable[[Tick], str]

    @property
    def conditions(self) -> Mapping[str, str]:
        """The conditions of the variables that have one."""
        return {each.name: each.of for each in self.node.define}

    def name(self, attempt: RecordedAttempt) -> str:
        """Name an attempt by its first row."""
        return f"the attempt of {self.node.id!r} from {self.rows_named([attempt.flow])}"

    def full_name(self, attempt: RecordedAttempt) -> str:
        """Name an attempt by its first row and its group, at the beginning of a sentence."""
        values = [f"{name} = {value}" for name, value in zip(self.node.group_by, attempt.key, strict=True)]
        group = f" ({', '.join(values)})" if values else ""
        return f"{_capital(self.name(attempt))}{group}"

    def step(self, attempt: RecordedAttempt, step: AttemptStep, missed: Sequence[MissedEnd] = ()) -> list[str]:
        """Explain a state of an attempt."""
        if step.decided is None:
            return [self._took(attempt, step), *self._waits(attempt, step)]
        if isinstance(step.decided.found, Match):
            return [
                self._match(attempt, step),
                *self._held(attempt, step),
                self._decided(step),
                *map(self._late, missed),
            ]
        if self.starts_nothing(step):
            return [self._not_started(attempt, step)]
        return [self._took(attempt, step), *self._ends(attempt, step), self._decided(step)]

    @staticmethod
    def starts_nothing(step: AttemptStep) -> bool:
        """Return whether the attempt failed at its first row, and why is known."""
        failed = step.decided is not None and step.decided.found is Unmatched.FAILED
        return failed and not step.trace.cut and step.path is not None and not step.path.length

    def _not_started(self, attempt: RecordedAttempt, step: AttemptStep) -> str:
        none = self._none_of(step.trace.reasons)
        return f"No match of {self.node.id!r} starts at {self.rows_named([attempt.flow])}: it is not {none}."

    def waits_now(self, attempt: RecordedAttempt) -> list[str]:
        """Explain what the last state of an attempt waits for, and what would bring it."""
        until = self._decided_at(attempt)
        found = []
        if until is not None:
            grace = self.attempts.operator.spec.grace
            at = Tick(until + grace)
            found.append(f"It is decided when the CTI reaches {self.times.at(at)} at the latest{self.needs(at)}")
        ahead = self.attempts.waiting(attempt.key)
        if ahead:
            verb = "has" if len(ahead) == 1 else "have"
            found.append(f"{_capital(self.rows_named(ahead))} {verb} arrived, but earlier rows may still follow.")
        return found

    def _decided_at(self, attempt: RecordedAttempt) -> Tick | None:
        stops = [each for each in attempt.last.trace.opened if each.reason is not StopReason.LOOKS_AHEAD]
        known = [each.until for each in stops if each.until is not None]
        return max(known) if known and len(known) == len(attempt.last.trace.opened) else None

    # The rows of a path

    def _took(self, attempt: RecordedAttempt, step: AttemptStep) -> str:
        taken = self.path(attempt, step)
        return f"Took {taken}." if taken else "Took no row."

    def path(self, attempt: RecordedAttempt, step: AttemptStep) -> str:
        """List the rows of the path with their variables: `row 3 as A, rows 4 and 5 as B`."""
        flows, path = self.attempts.flows(attempt.key), step.path
        if path is None:
            return ""
        runs = [(name, list(steps)) for name, steps in groupby(path.prefixes(), key=lambda each: each.variable)]
        shown = [f"{self.rows_named([flows[each.last] for each in steps])} as {name}" for name, steps in runs]
        more = len(shown) - MOST_LISTED
        return ", ".join(shown[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")

    def _match(self, attempt: RecordedAttempt, step: AttemptStep) -> str:
        taken = self.path(attempt, step)
        return f"Match: {taken}." if taken else "An empty match: the pattern needs no row here."

    def _held(self, attempt: RecordedAttempt, step: AttemptStep) -> Iterator[str]:
        absent, path = step.trace.absent, step.path
        if absent is not None and path is not None:
            until = Tick(self.attempts.flows(attempt.key)[path.last].start + absent.duration)
            yield (
                f"No row before {self.times.at(until)} is {self._variable(absent.variable)}, so nothing ended the "
                f"absence of {absent.variable} for {length(absent.duration)}."
            )

    def _late(self, missed: MissedEnd) -> str:
        row = _capital(self.rows_named([missed.flow]))
        kept = "" if missed.delay is None else f" It is kept if the delay is at least {length(missed.delay)}."
        return f"{row} would have ended the absence at {self.times.at(missed.flow.start)}, but it was late.{kept}"

    def _decided(self, step: AttemptStep) -> str:
        if step.cause is None or step.cause.cti == INFINITY:
            return "Decided at the end of the input."
        return f"Decided by {self.decided_by(step.cause)} of {step.cause.input!r}."

    # Ends of paths

    def _ends(self, attempt: RecordedAttempt, step: AttemptStep) -> Iterator[str]:
        assert step.decided is not None  # nosec B101 # asked before
        if step.decided.found is Unmatched.TOO_COMPLEX:
            yield f"Stopped: the search tried more than {MOST_CONDITIONS:,} conditions. Make the pattern more specific."
            return
        if step.trace.cut:
            yield "The search took too many conditions to explain all of its paths. Use a smaller sample."
        for _, same in groupby(step.trace.reasons, key=lambda each: (each.reason, each.row)):
            yield self._end(attempt, list(same))

    def _end(self, attempt: RecordedAttempt, stops: Sequence[PathStop]) -> str:
        """Explain the end of a path, at which several variables may have been tried."""
        flows, stop = self.attempts.flows(attempt.key), stops[0]
        names = " or ".join(each.variable for each in stops)
        row = None if stop.row is None else self.rows_named([flows[stop.row]])
        match stop.reason:
            case StopReason.CONDITION:
                return f"Ended at {row}, which is not {self._none_of(stops)}."
            case StopReason.WITHIN:
                assert stop.until is not None  # nosec B101 # only with WITHIN
                late = "no further row came before" if row is None else f"{row} is not before"
                return f"Ended by {self._within()}: {late} {self.times.at(stop.until)}, so nothing is {names}."
            case StopReason.ENDED:
                return f"Ended at the end of the input: no row came that could be {names}."
            case StopReason.MOST_ROWS:
                rows = counted(self.attempts.operator.spec.max_rows, "row")
                return f"Ended at {rows} ('max_rows'), so no further row is {names}."
            case _:
                return self._ended_absence(attempt, stop, row or "")

    def _none_of(self, stops: Sequence[PathStop]) -> str:
        return " and not ".join(self._variable(each.variable) for each in stops)

    def _ended_absence(self, attempt: RecordedAttempt, stop: PathStop, row: str) -> str:
        flows = self.attempts.flows(attempt.key)
        last = flows[stop.path.last]
        assert stop.row is not None  # nosec B101 # a row ended the absence
        assert stop.until is not None  # nosec B101 # so it has a duration
        after = length(flows[stop.row].start - last.start)
        duration = length(stop.until - last.start)
        return (
            f"Ended at {row}, which is {self._variable(stop.variable)}: it came {after} after "
            f"{self.rows_named([last])}, so {stop.variable} was not absent for {duration}."
        )

    def _waits(self, attempt: RecordedAttempt, step: AttemptStep) -> Iterator[str]:
        names = [each.variable for each in step.trace.reasons if each.reason is StopReason.NEXT_ROW]
        if names:
            until = self.attempts.until(attempt)
            bound = "" if until is None else f" that starts before {self.times.at(until)} ({self._within()})"
            forever = ", for any length of time: there is no WITHIN" if until is None else ""
            yield f"Waits for the next row of the group{bound}, which may be {' or '.join(names)}{forever}."
        for stop in step.trace.reasons:
            if stop.reason is StopReason.ABSENCE_OPEN and stop.until is not None:
                at = self.times.at(stop.until)
                yield f"Waits until {at}: a row before that may be {self._variable(stop.variable)}."
            if stop.reason is StopReason.LOOKS_AHEAD:
                yield f"Waits for a later row, because the condition of {stop.variable} contains NEXT."
        if not step.trace.opened and step.trace.complete is not None:
            yield "Complete, but waits for a later row, because a measure contains NEXT."
        elif step.trace.complete is not None and step.trace.complete.path.length:
            yield "If that does not come, the attempt still has a match."

    def _within(self) -> str:
        within = self.attempts.operator.spec.within
        return "WITHIN" if within is None else f"WITHIN {length(within)}"

    def _variable(self, name: str) -> str:
        condition = self.conditions.get(name)
        return name if condition is None else f"{name} ({condition})"


def missed_ends(
    attempts: NodeAttempts, attempt: RecordedAttempt, late: Iterable[tuple[Flow, int | None]]
) -> list[MissedEnd]:
    """Return the `late` rows, each with its smallest delay, that would have ended the absence in a match (T39)."""
    absent, path, operator = attempt.last.trace.absent, attempt.last.path, attempts.operator
    if attempt.last.decided is None or absent is None or path is None:
        return []
    since = attempts.flows(attempt.key)[path.last].start
    return [
        MissedEnd(flow, delay)
        for flow, delay in late
        if since <= flow.start < since + absent.duration
        and group_key(flow, operator.spec.group_by) == attempt.key
        and operator.would_take(attempt.key, path, absent.variable, flow)
    ]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
