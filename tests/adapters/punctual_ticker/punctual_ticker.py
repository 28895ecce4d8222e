"""An adapter in forty lines: counts up to a number, with a CTI after every tenth row."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import Field

from streaming.adapters.kinds import InputKind
from streaming.adapters.times.selections import judge_facets
from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.strict import Strict
from streaming.wire.rows.arrived import Arrived
from streaming.wire.rows.arrived_rows import JudgedRow, arrived_of


class TickerOptions(Strict):
    """Numbers from 0 on, one for each second."""

    up_to: int = Field(title="Up to", description="How many numbers there are.", ge=1, le=1_000_000)


class Ticker:
    """One lane, "0"; a position counts rows and CTIs. Row `n` starts at second `n`, so every tick is determined."""

    def __init__(self, options: TickerOptions, stream: StreamDefinition, root: Path, journal: Path | None) -> None:
        numbers = range(options.up_to)
        rows = [
            [{"start": n * 1_000_000, "payload": {"n": n}}, *([{"cti": n * 1_000_000}] if n % 10 == 9 else [])]
            for n in numbers
        ]
        judged = [judge_facets(row, stream) for pair in rows for row in pair]
        self._rows = [JudgedRow(position, row, "", None) for position, row in enumerate(judged)]
        self._stream = stream

    def lanes(self) -> list[str]:
        return ["0"]

    def latest(self, start: Mapping[str, int], *, now: int, limit_rows: int) -> Mapping[str, int]:
        return {"0": min(start.get("0", 0) + limit_rows, len(self._rows))}

    def finished(self, positions: Mapping[str, int]) -> bool:
        return positions.get("0", 0) >= len(self._rows)

    def read(self, lane: str, start: int, end: int) -> Iterator[Arrived]:
        if start < end:
            yield arrived_of(self._rows[start:end], self._stream)


KIND = InputKind("ticker", "Ticker", TickerOptions, Ticker, sends_ctis=True)
