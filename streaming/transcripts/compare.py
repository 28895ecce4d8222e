"""Comparison of a transcript's expectation with a result; differences are phrases for people."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, TypeVar

from streaming.definition.graph import OutputNode, WindowNode
from streaming.definition.payload.reading import BadPayload, read_payload
from streaming.definition.payload.types import Fields
from streaming.definition.sequences.node import MatchRecognizeNode
from streaming.temporal.events import EdgeKind, Shape
from streaming.temporal.ticks import INFINITY, ONE_TICK, parse_duration, parse_instant
from streaming.transcripts.format import ExecutorName, Expect, ExpectedEvent, ExpectedLate, ExpectedPane, ExpectedRow
from streaming.transcripts.late_rows import with_written_times
from streaming.transcripts.load import TranscriptError
from streaming.transcripts.prepare import TranscriptDefinition
from streaming.wire.execution.case import Case, CaseEvent, CaseLate, CaseResult, CaseStep, StepPane
from streaming.wire.execution.failures import ExpressionFailure

TOLERANCE = 1e-9
"""Relative, for doubles: sums of floats may differ in their last bits from one cut to another."""
SHOWN = 3
"""A difference names at most so many rows."""

Want = TypeVar("Want")
Have = TypeVar("Have")


@dataclass(frozen=True)
class WantedRow:
    """One expected row: the `event`, and `row` with the edge, deletion and pane."""

    event: CaseEvent
    row: ExpectedRow


@dataclass(frozen=True)
class WantedResult:
    """The expectation of one transcript in the terms of results; `ctis` by output."""

    events: Sequence[CaseEvent]
    rows: Sequence[WantedRow] | None
    ctis: Mapping[str, tuple[int, ...]] | None
    late: Sequence[ExpectedLate] | None
    outcomes: Mapping[str, int] | None
    failures: Mapping[ExpressionFailure, int] | None


def wanted(expect: Expect, definition: TranscriptDefinition) -> WantedResult:
    """Read the expectation by the schemas of the outputs.

    Raises `TranscriptError` for rows that no output could emit.
    """
    if definition.graph is None:
        raise TranscriptError("the query has no shape")
    outputs = {node.id: definition.checked.schemas[node.id] for node in definition.graph.nodes if _is_output(node)}
    return WantedResult(
        events=[_event(each, outputs) for each in expect.events],
        rows=None if expect.rows is None else [WantedRow(_event(each, outputs), each) for each in expect.rows],
        ctis=_ctis(expect, outputs),
        late=expect.late,
        outcomes=None if expect.outcomes is None else {str(key): count for key, count in expect.outcomes.items()},
        failures=_failures(expect),
    )


def _failures(expect: Expect) -> Mapping[ExpressionFailure, int] | None:
    if expect.failures is None:
        return None
    return {(each.node, each.field, each.kind): each.count for each in expect.failures}


def _is_output(node: object) -> bool:
    return isinstance(node, OutputNode)


def _output(name: str | None, outputs: Mapping[str, Fields]) -> str:
    if name is None and len(outputs) == 1:
        return next(iter(outputs))
    if name is None or name not in outputs:
        raise TranscriptError(f"'output' must be one of {', '.join(outputs)}")
    return name


def _event(event: ExpectedEvent, outputs: Mapping[str, Fields]) -> CaseEvent:
    output = _output(event.output, outputs)
    fields = outputs[output]
    if set(event.payload) != set(fields):
        raise TranscriptError(
            f"an expected payload has {', '.join(sorted(event.payload)) or 'no fields'}; "
            f"{output!r} gives {', '.join(fields)}"
        )
    payload = read_payload(event.payload, fields)
    if isinstance(payload, BadPayload):
        raise TranscriptError(f"an expected payload cannot be: {payload.field}: {payload.message}")
    start = parse_instant(event.start)
    return CaseEvent(output, start, _end(event, start), payload)


def _end(event: ExpectedEvent, start: int) -> int:
    if event.end is not None:
        return parse_instant(event.end)
    opens = isinstance(event, ExpectedRow) and event.edge is EdgeKind.START
    return INFINITY if opens or "end" in event.model_fields_set else start + ONE_TICK


def _ctis(expect: Expect, outputs: Mapping[str, Fields]) -> Mapping[str, tuple[int, ...]] | None:
    if expect.ctis is None:
        return None
    by_output = expect.ctis if isinstance(expect.ctis, dict) else {_output(None, outputs): expect.ctis}
    return {_output(name, outputs): tuple(map(parse_instant, ctis)) for name, ctis in by_output.items()}


def differences(
    want: WantedResult, case: Case, result: CaseResult, executor: ExecutorName, *, written: bool = True
) -> list[str]:
    """Return how `result` differs from `want`; empty if it does not.

    `written`: the case has the transcript's own cuts.
    """
    if result.failure is not None:
        return [result.failure]
    found = _unmatched("events", want.events, result.events, _same_event)
    if want.rows is not None and not found:
        found += _row_differences(want.rows, case, result, written=written)
    if want.ctis is not None:
        every = executor == "reference" or _each_alone(case)
        found += _cti_differences(want.ctis, result.ctis, every=every, ends=_ends_inside(case))
    if want.late is not None:
        found += _unmatched("late", want.late, with_written_times(result.late, case), _matches_late)
    if want.outcomes is not None:
        found += _outcome_differences(want.outcomes, result)
    if want.failures is not None and result.failures is not None and result.failures != want.failures:
        found.append(f"failures are {dict(result.failures)}, expected {dict(want.failures)}")
    return found


def _each_alone(case: Case) -> bool:
    """Return true if every row is its own micro-batch."""
    batches = [row.batch for row in case.rows]
    return len(set(batches)) == len(batches)


def _ends_inside(case: Case) -> bool:
    """Return true if a row ends an input: the last finite CTI may then be inside the micro-batch that ends it."""
    return any("cti" in row.fields and row.fields["cti"] is None for row in case.rows)


def _unmatched(
    what: str, wants: Sequence[Want], haves: Sequence[Have], matches: Callable[[Want, Have], bool]
) -> list[str]:
    """Pair every wanted row with another row, whatever the order, and name the rest on both sides.

    Wanted rows may name few keys, so one row could match several: pairs are exchanged until most are found.
    """
    taken: dict[int, int] = {}

    def place(want: int, tried: set[int]) -> bool:
        for have in range(len(haves)):
            if have in tried or not matches(wants[want], haves[have]):
                continue
            tried.add(have)
            if have not in taken or place(taken[have], tried):
                taken[have] = want
                return True
        return False

    missing = [wants[want] for want in range(len(wants)) if not place(want, set())]
    extra = [haves[have] for have in range(len(haves)) if have not in taken]
    parts = [_listed(f"{what} missing", missing), _listed(f"{what} not expected", extra)]
    return [part for part in parts if part]


def _listed(title: str, rows: Sequence[object]) -> str:
    if not rows:
        return ""
    more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    return f"{title}: {'; '.join(map(format_row, rows[:SHOWN]))}{more}"


def format_row(row: object) -> str:
    """Format a row in a line, as in a transcript."""
    if isinstance(row, WantedRow):
        pane = row.row.pane
        beside = {} if pane is None else pane.model_dump(exclude_unset=True)
        return format_row(row.event) + _beside(row.row.edge, beside, deleted=row.row.deleted)
    if isinstance(row, CaseEvent | CaseStep):
        end = "infinity" if row.end == INFINITY else row.end
        payload = ", ".join(f"{name}: {value}" for name, value in row.payload.items())
        lifetime = f"{row.output} [{row.start}, {end}) {{{payload}}}"
        if isinstance(row, CaseEvent):
            return lifetime
        return lifetime + _beside(row.edge, {} if row.pane is None else asdict(row.pane), deleted=row.deleted)
    values = row.model_dump(exclude_unset=True) if isinstance(row, ExpectedLate) else vars(row)
    return "{" + ", ".join(f"{key}: {value}" for key, value in values.items() if value is not None) + "}"


def _beside(edge: EdgeKind | None, pane: Mapping[str, object], *, deleted: bool) -> str:
    """Format the parts of a row other than its lifetime and payload."""
    parts = [f"edge {edge}"] if edge else []
    parts += ["deleted"] if deleted else []
    parts += ["pane " + " ".join(f"{key}={value}" for key, value in pane.items())] if pane else []
    return f" ({', '.join(parts)})" if parts else ""


def _same_event(want: CaseEvent, have: CaseEvent) -> bool:
    same_lifetime = (want.output, want.start, want.end) == (have.output, have.start, have.end)
    return same_lifetime and same_value(dict(want.payload), dict(have.payload))


def same_value(want: Any, have: Any) -> bool:
    """Return true if typed values are equal; doubles within TOLERANCE of each other."""
    if isinstance(want, bool) or isinstance(have, bool) or want is None or have is None:
        return want is have
    if isinstance(want, float) and isinstance(have, float):
        return math.isclose(want, have, rel_tol=TOLERANCE)
    if isinstance(want, Mapping) and isinstance(have, Mapping):
        return want.keys() == have.keys() and all(same_value(value, have[name]) for name, value in want.items())
    if isinstance(want, list) and isinstance(have, list):
        return len(want) == len(have) and all(map(same_value, want, have))
    return isinstance(have, Decimal) is isinstance(want, Decimal) and type(want) is type(have) and want == have


def _row_differences(want: Sequence[WantedRow], case: Case, result: CaseResult, *, written: bool) -> list[str]:
    """Compare rows in the order of release, if the executor reports them; cuts may change provisional ones.

    For other executors the net rows are compared, if they are all rows: no edges and no provisional rows.
    """
    emitters = (node for node in case.graph.nodes if isinstance(node, WindowNode | MatchRecognizeNode))
    provisional = any(node.emit != "final" for node in emitters)
    if result.rows is None:
        edges = any(stream.shape in (Shape.EDGE, Shape.TABLE) for stream in case.streams.values())
        whole = not provisional and not edges
        return _unmatched("rows", [row.event for row in want], result.events, _same_event) if whole else []
    if provisional and not written:
        return []
    if len(want) == len(result.rows) and all(map(_same_row, want, result.rows)):
        return []
    return [f"rows are {'; '.join(map(format_row, result.rows))}; expected {'; '.join(map(format_row, want))}"]


def _same_row(want: WantedRow, have: CaseStep) -> bool:
    if not _same_event(want.event, CaseEvent(have.output, have.start, have.end, have.payload)):
        return False
    row = want.row
    if row.deleted != have.deleted or ("edge" in row.model_fields_set and row.edge != have.edge):
        return False
    return "pane" not in row.model_fields_set or _same_pane(row.pane, have.pane)


def _same_pane(want: ExpectedPane | None, have: StepPane | None) -> bool:
    if want is None or have is None:
        return want is None and have is None
    return all(_pane_value(want, key) == getattr(have, key) for key in want.model_fields_set)


def _pane_value(want: ExpectedPane, key: str) -> object:
    value = getattr(want, key)
    if key in ("start", "end"):
        return INFINITY if value is None else parse_instant(value)
    return value


def _cti_differences(
    wants: Mapping[str, tuple[int, ...]], haves: Mapping[str, tuple[int, ...]], *, every: bool, ends: bool
) -> list[str]:
    """Compare every CTI in its order, or for executors without an order inside a micro-batch, the required ones.

    Such executors report rising CTIs, and the last one is not smaller than the reference's. It may be larger: a later
    row of the same micro-batch may have ended what delayed the CTI. If an input `ends` inside a micro-batch, no finite
    CTI is required.
    """
    found = []
    for output, want in wants.items():
        have = haves.get(output, ())
        rising = all(earlier < later for earlier, later in itertools.pairwise(have))
        if have != want and (every or not rising or (have[-1:] < want[-1:] and not ends)):
            found.append(f"ctis of {output} are {list(have)}, expected {list(want)}")
    return found


def _matches_late(want: ExpectedLate, have: CaseLate) -> bool:
    return all(_late_value(want, key) == getattr(have, key) for key in want.model_fields_set)


def _late_value(want: ExpectedLate, key: str) -> object:
    value = getattr(want, key)
    if value is None:
        return INFINITY if key == "end" else None
    if key in ("start", "end"):
        return parse_instant(value)
    return parse_duration(value) if key == "moved_by" else value


def _outcome_differences(wants: Mapping[str, int], result: CaseResult) -> list[str]:
    totals: dict[str, int] = {}
    for counts in result.outcomes.values():
        for outcome, count in counts.items():
            totals[str(outcome)] = totals.get(str(outcome), 0) + count
    have = {outcome: count for outcome, count in totals.items() if count}
    want = {outcome: count for outcome, count in wants.items() if count}
    return [] if have == want else [f"outcomes are {have}, expected {want}"]
