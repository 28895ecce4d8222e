"""Random seams: the rows of a stream divided among history and live, some in both (T55)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from streaming.transcripts.seam import SourcedRow, joined_rows
from streaming.wire.execution.case import HISTORY_LANE, ONLY_LANE, Case, CaseRow
from tests.reference.drawn.rows import sync

STREAM = "s"
TIMES = st.integers(-6, 26)


@dataclass(frozen=True)
class DividedCase:
    """A case that reads history, then live, and one that reads the same rows from one source: the joined data."""

    divided: Case
    joined: Case


@dataclass(frozen=True)
class Division:
    """The rows of the stream in order, by source, `True` for those that count; and the seam."""

    seam: Mapping[str, Any]
    history: Sequence[tuple[SourcedRow, bool]]
    live: Sequence[tuple[SourcedRow, bool]]


@st.composite
def divided(draw: st.DrawFn, case: Case) -> DividedCase:
    """Divide the rows of the stream "s" of `case`. Its lanes are those with rows, because no other is in history."""
    rows = [row for row in case.rows if row.stream == STREAM]
    lanes = sorted({row.lane for row in rows}) or [ONLY_LANE]
    by_position = by_places(rows, lanes)
    kinds = [by_position] if len(lanes) > 1 else [by_position, by_time(rows), by_id(rows)]
    division = draw(st.one_of(kinds))
    stream = case.streams[STREAM].model_copy(update={"lanes": lanes})
    seamed = stream.model_validate({**stream.model_dump(), "history": {"seam": division.seam}})
    others = [SourcedRow(row, "live") for row in case.rows if row.stream != STREAM]
    end = SourcedRow(CaseRow(STREAM, HISTORY_LANE, 0, {"history": None}), "history")
    sourced = [*(row for row, _ in division.history), end, *(row for row, _ in division.live)]
    streams = {**case.streams, STREAM: seamed}
    counted = [row.row for row, counts in (*division.history, *division.live) if counts]
    return DividedCase(
        replace(case, streams=streams, rows=in_one_batch(joined_rows([*others, *sourced], streams))),
        replace(
            case,
            streams={**case.streams, STREAM: stream},
            rows=in_one_batch([*(each.row for each in others), *counted]),
        ),
    )


def in_one_batch(rows: Sequence[CaseRow]) -> tuple[CaseRow, ...]:
    return tuple(replace(row, batch=0) for row in rows)


@st.composite
def by_places(draw: st.DrawFn, rows: Sequence[CaseRow], lanes: Sequence[str]) -> Division:
    """Draw the first place of live in each lane, after at least one row, and rows that both sources have."""
    mine = {lane: [row for row in rows if row.lane == lane] for lane in lanes}
    place = {lane: draw(st.integers(min(1, len(each)), len(each))) for lane, each in mine.items()}
    until = {lane: place[lane] + draw(st.integers(0, 2)) for lane in lanes}
    begin = {lane: max(0, place[lane] - draw(st.integers(0, 2))) for lane in lanes}
    history, live, count = [], [], dict.fromkeys(lanes, 0)
    for row in rows:
        at = count[row.lane]
        count[row.lane] += 1
        if at < until[row.lane]:
            history.append((SourcedRow(row, "history", at), at < place[row.lane]))
        if at >= begin[row.lane]:
            live.append((SourcedRow(row, "live", at), at >= place[row.lane]))
    return Division({"position": place}, history, live)


@st.composite
def by_time(draw: st.DrawFn, rows: Sequence[CaseRow]) -> Division:
    """Draw the time of the seam; a CTI is in one source, and counts there."""
    at = draw(TIMES)
    history, live = [], []
    for row in rows:
        if "cti" in row.fields:
            of_history = draw(st.booleans())
            (history if of_history else live).append((SourcedRow(row, "history" if of_history else "live"), True))
            continue
        before, both = sync(row.fields) < at, draw(st.integers(0, 3)) == 3
        if before or both:
            history.append((SourcedRow(row, "history"), before))
        if not before or both:
            live.append((SourcedRow(row, "live"), not before))
    return Division({"time": at}, history, live)


@st.composite
def by_id(draw: st.DrawFn, rows: Sequence[CaseRow]) -> Division:
    """Draw the end of history and the first row of live. The number is the id; `over` forgets earlier ones."""
    end = draw(st.integers(0, len(rows)))
    begin = draw(st.integers(0, end))
    over = draw(st.sampled_from((None, 1, 5, 100)))
    events = [row for row in rows[:end] if "cti" not in row.fields]
    last = max((sync(row.fields) for row in events), default=0)
    kept = [row for row in events if over is None or sync(row.fields) > last - over]
    known = {number_of(row) for row in kept} - {None}
    history = [(SourcedRow(row, "history"), True) for row in rows[:end]]
    live = [(SourcedRow(row, "live"), "cti" in row.fields or number_of(row) not in known) for row in rows[begin:]]
    return Division({"id": "v", **({} if over is None else {"over": over})}, history, live)


def number_of(row: CaseRow) -> int | None:
    number: int | None = row.fields["payload"].get("v")
    return number
