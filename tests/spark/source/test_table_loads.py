"""A price list in a file that is replaced, joined as of event time, in a carrier without Spark's own process (T51)."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.push.inbox import InboxLimits, PushInbox
from streaming.spark.query.control import AddBinding
from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.test_loop import STAGES

S = 1_000_000
LATE_FOR_ALL = 1_000


def joined(clock: str, effective: str) -> RunSpec:
    """Return the orders with the rate of their currency at their time."""
    orders = {
        "fields": {"id": "long", "currency": "string"},
        "advance": {"generate": {"every": 1, "delay": "-1tick"}, "late": "drop"},
    }
    rates = {
        "shape": "table",
        "fields": {"currency": "string", "rate": "long"},
        "keys": ["currency"],
        "clock": clock,
        "load": {"every": "1s", "effective": effective},
    }
    content = {
        "organisation": "tests",
        "binding": "a",
        "run": "a-1",
        "desired": "running",
        "query": {
            "version": 1,
            "name": "rated",
            "nodes": [
                {"id": "orders", "kind": "input", "stream": "orders"},
                {"id": "rates", "kind": "input", "stream": "rates"},
                {"id": "rated", "kind": "asof_join", "left": "orders", "right": "rates", "keys": ["currency"]},
                {"id": "out", "kind": "output", "input": "rated"},
            ],
        },
        "inputs": {
            "orders": {"stream": orders, "adapter": {"kind": "push", "options": {"inbox": "orders"}}},
            "rates": {"stream": rates, "adapter": {"kind": "file", "options": {"path": "rates"}}},
        },
        "results": "results/a",
    }
    return RunSpec.model_validate_json(json.dumps(content))


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    home = tmp_path / "files"
    (home / "rates").mkdir(parents=True)
    return Loop(home, rows_per_batch=100)


def add(loop: Loop, wanted: RunSpec) -> None:
    lanes = {"orders": ["0"], "rates": ["0"]}
    loop.carrier.control.append(
        AddBinding(kind="add", tick=0, spec=wanted, bucket_ids=[0], lanes=lanes, at_end="flush")
    )


def order(loop: Loop, *orders: tuple[int, int, str]) -> None:
    """Push orders: id, time in s, currency."""
    rows = [{"start": at * S, "id": number, "currency": currency} for number, at, currency in orders]
    body = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    PushInbox.of(loop.home, "orders").accept(body, len(rows), batch=None, now=1, limits=InboxLimits(1 << 30, 7))


def replace_rates(loop: Loop, at: int, **rates: int) -> None:
    """Replace the file of rates, as written at `at` s."""
    path = loop.home / "rates" / "rates.csv"
    path.write_text("currency,rate\n" + "".join(f"{name},{rate}\n" for name, rate in rates.items()))
    os.utime(path, (at, at))


def several(loop: Loop, stage: str | None = None) -> None:
    """Run as many batches as needed; with `stage` each is killed there first."""
    for _ in range(8):
        if stage is not None:
            loop.killed_at(stage)
        loop.batch()


def rated(loop: Loop) -> list[tuple[int, int]]:
    lines = committed_lines(loop.home / "results" / "a", "results")
    return sorted((line["payload"]["id"], line["payload"]["rate"]) for line in lines)


@pytest.mark.parametrize("stage", [None, *STAGES])
def test_an_order_has_the_rate_of_its_time_whatever_is_killed(loop: Loop, stage: str | None) -> None:
    """The first load holds from the beginning; each later one from the time at which its file was written (T50)."""
    add(loop, joined("follow", "file_time"))
    replace_rates(loop, 100, EUR=2, USD=3)
    several(loop, stage)
    order(loop, (1, 50, "EUR"), (2, 150, "USD"), (3, 160, "GBP"))
    several(loop, stage)
    replace_rates(loop, 200, EUR=4)
    several(loop, stage)
    order(loop, (4, 199, "EUR"), (5, 200, "EUR"), (6, 210, "USD"), (7, LATE_FOR_ALL, "EUR"))
    several(loop, stage)
    assert rated(loop) == [(1, 2), (2, 3), (4, 2), (5, 4), (7, 4)]


def test_the_order_of_arrival_between_a_table_and_its_left_side_changes_nothing(loop: Loop) -> None:
    """Law 12: the orders come before or between the loads, and none is late; each join waits for the load (`poll`)."""
    add(loop, joined("poll", "file_time"))
    order(loop, (1, 50, "EUR"), (2, 150, "USD"), (4, 199, "EUR"), (5, 200, "EUR"), (6, 210, "USD"))
    several(loop)
    assert rated(loop) == []
    replace_rates(loop, 100, EUR=2, USD=3)
    several(loop)
    assert rated(loop) == [(1, 2)]
    replace_rates(loop, 200, EUR=4)
    several(loop)
    replace_rates(loop, 300, EUR=6)
    several(loop)
    assert rated(loop) == [(1, 2), (2, 3), (4, 2), (5, 4)]


def test_a_static_table_never_makes_a_join_wait_after_its_load(loop: Loop) -> None:
    add(loop, joined("static", "poll"))
    order(loop, (1, 50, "EUR"))
    several(loop)
    assert rated(loop) == []
    replace_rates(loop, 100, EUR=2)
    several(loop)
    replace_rates(loop, 200, EUR=4)
    order(loop, (2, LATE_FOR_ALL, "EUR"))
    several(loop)
    assert rated(loop) == [(1, 2), (2, 2)]


def test_a_load_that_is_cut_off_counts_as_nothing_and_the_run_continues(loop: Loop) -> None:
    add(loop, joined("follow", "file_time"))
    replace_rates(loop, 100, EUR=2)
    several(loop)
    path = loop.home / "rates" / "rates.csv"
    path.write_text("currency,rate\nEUR,9\nUS")
    os.utime(path, (120, 120))
    several(loop)
    order(loop, (1, 150, "EUR"))
    several(loop)
    assert rated(loop) == [(1, 2)]
    late: list[dict[str, Any]] = list(committed_lines(loop.home / "results" / "a", "late"))
    assert [(each["input"], each["outcome"]) for each in late] == [("rates", "malformed")]
