"""For any arrivals and any freshness, no row waits longer than its binding allows, and no batch is empty."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.adapters.rows.adapter import RowsAdapter
from streaming.spark.planning.blocking_planner import SHORTEST_S, BlockingPlanner
from streaming.spark.planning.planner import Planner
from streaming.spark.query.control import AddBinding
from streaming.spark.query.layout import CarrierFolder, CarrierSettings, create
from streaming.spark.query.offset import Offset
from streaming.wire.messages import RunSpec
from tests.spark.specs import spec

S = 1_000_000
END_S = 20


@dataclass(frozen=True)
class DrawnBinding:
    """The freshness of a binding, and the arrivals of its rows, both in ticks."""

    freshness: int
    arrivals: tuple[int, ...]


BINDINGS = st.lists(
    st.builds(
        DrawnBinding,
        st.sampled_from([200_000, 1 * S, 3 * S, 15 * S]),
        st.lists(st.integers(0, END_S * S), max_size=12).map(lambda times: tuple(sorted(times))),
    ),
    min_size=1,
    max_size=4,
)


class WorldClock:
    """One clock for wall and waiting, in ticks; waiting advances it."""

    def __init__(self) -> None:
        self.at = 0

    def pass_on(self, seconds: float) -> None:
        self.at += max(1, round(seconds * S))


def carrier_with(folder: Path, bindings: list[DrawnBinding]) -> CarrierFolder:
    carrier = create(folder / "carrier", CarrierSettings(home=str(folder), pages=("page-0",)))
    for number, each in enumerate(bindings):
        name = f"b{number}"
        (folder / f"{name}.jsonl").touch()
        content = json.loads(spec(name, f"{name}.jsonl").model_dump_json()) | {"freshness": each.freshness}
        of = RunSpec.model_validate_json(json.dumps(content))
        carrier.control.append(AddBinding(kind="add", tick=0, spec=of, bucket_ids=[0], lanes={}, at_end="nothing"))
    return carrier


def read_of(offset: Offset, name: str) -> int:
    return next(iter(offset.carried[name].positions["readings"].values()), 0)


@given(BINDINGS, st.integers(0, 3 * S))
def test_no_row_waits_longer_than_its_freshness_and_no_batch_is_empty(
    bindings: list[DrawnBinding], batch_ticks: int
) -> None:
    clock = WorldClock()
    arrivals = {f"b{number}.jsonl": each.arrivals for number, each in enumerate(bindings)}

    def latest(self: RowsAdapter, start: Mapping[str, int], *, now: int, limit_rows: int) -> Mapping[str, int]:
        there = sum(at <= now for at in arrivals[self._options.path])
        return {lane: max(position, min(there, position + limit_rows)) for lane, position in start.items()}

    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(RowsAdapter, "latest", latest)
        patch.setattr(RowsAdapter, "finished", lambda *_: False)
        carrier = carrier_with(Path(name), bindings)
        planner = BlockingPlanner(
            carrier,
            Planner(carrier, lambda: clock.at),
            monotonic=lambda: clock.at / S,
            wait=clock.pass_on,
        )
        offset = Offset()
        waited: dict[int, list[int]] = {number: [] for number in range(len(bindings))}
        while clock.at < (END_S + 20) * S:
            after = planner.plan(offset)
            if after is offset:
                continue
            begun = {number: read_of(offset, f"b{number}") if offset.n else 0 for number in waited}
            ended = {number: read_of(after, f"b{number}") for number in waited}
            assert after.control > offset.control or begun != ended, "a batch without work"
            for number, found in waited.items():
                found += [after.tick - at for at in bindings[number].arrivals[begun[number] : ended[number]]]
            offset = after
            clock.at += batch_ticks
    for number, each in enumerate(bindings):
        assert len(waited[number]) == len(each.arrivals), "a row that was never read"
        assert max(waited[number], default=0) <= each.freshness + batch_ticks + SHORTEST_S * S
