"""A version of the query that changes the columns of an output: each row arrives once, with its own columns.

The first run made `plate, n`, the second `plate, total`. When the delivery starts, rows of both wait and the binding
has the second version.
"""

import csv
import io
import json
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from streaming.adapters.contract import AdapterError
from streaming.adapters.registry import delivering_adapter
from streaming.definition.streams.stream import AdapterChoice
from streaming.delivery.delivery import Delivery, DeliverySource
from streaming.storage.results import Commit, RunBatches
from streaming.wire.deliveries import DeliveryTarget
from streaming.wire.messages import ResultRow
from tests.delivery.targets import Shelf, ShelfAdapter
from tests.wire.written import write_commit, write_part

S = 1_000_000
BEFORE = {"plate": "string", "n": "long"}
AFTER = {"plate": "string", "total": "double"}
RUNS = {"first": BEFORE, "second": AFTER}


def commit(folder: Path, number: int, run: str, *payloads: Mapping[str, Any], recorded: bool = True) -> None:
    """Commit a batch of `run`, and record its columns as a runner does."""
    rows = [ResultRow(output="out", start=number * S, end=number * S + 1, payload=dict(each)) for each in payloads]
    part = write_part(folder, "results", number, 0, rows)
    made = Commit(batch=number, parts=[part], totals={"at": number * S}, runs=[RunBatches(run=run, first=0, last=99)])
    write_commit(folder, made)
    if recorded:
        (folder / "columns").mkdir(exist_ok=True)
        (folder / "columns" / f"{run}.json").write_text(json.dumps({"out": RUNS[run]}))


def two_versions(folder: Path) -> None:
    commit(folder, 1, "first", {"plate": "A", "n": 1})
    commit(folder, 2, "first", {"plate": "B", "n": 2})
    commit(folder, 3, "second", {"plate": "A", "total": 1.5})
    commit(folder, 4, "second", {"plate": "B", "total": 2.5})


def settled(folder: Path, build: Callable[[Mapping[str, str]], Any], fields: dict[str, str] = AFTER) -> Delivery:
    """Return a settled delivery of a process that knows only the disk."""
    target = DeliveryTarget(
        identity="one", node="out", fields=fields, adapter=AdapterChoice(kind="fake", options={}), revision=1
    )
    now = [0]
    delivery = Delivery(DeliverySource("b", folder), target, build, lambda: now[0])
    for _ in range(100):
        wait_s = delivery.step()
        if wait_s == inf or wait_s > 0:
            return delivery
    raise AssertionError("it never settles")


def file_build(root: Path, kind: str, **options: Any) -> Callable[[Mapping[str, str]], Any]:
    return lambda columns: delivering_adapter(kind, {"path": "out", **options}, "one", columns, root)


@pytest.mark.parametrize("form", ["csv", "parquet", "json_lines"])
def test_every_file_has_the_columns_of_the_version_that_made_its_rows(tmp_path: Path, form: str) -> None:
    two_versions(tmp_path / "b")
    delivery = settled(tmp_path / "b", file_build(tmp_path / "files", "file", format=form, by_day=False))
    assert (delivery.observed.state, delivery.observed.waiting_rows) == ("current", 0), delivery.observed.message
    read: list[dict[str, Any]] = []
    for path in sorted((tmp_path / "files" / "out").glob("0*")):
        content = path.read_bytes()
        if form == "csv":
            read += csv.DictReader(io.StringIO(content.decode()))
        elif form == "parquet":
            read += pq.read_table(io.BytesIO(content)).to_pylist()
        else:
            read += [json.loads(line)["payload"] for line in content.splitlines()]
    fields = [{name: str(value) for name, value in row.items() if name in {"plate", "n", "total"}} for row in read]
    assert fields == [
        {"plate": "A", "n": "1"},
        {"plate": "B", "n": "2"},
        {"plate": "A", "total": "1.5"},
        {"plate": "B", "total": "2.5"},
    ]


@pytest.mark.parametrize("mode", ["append", "upsert"])
def test_a_delta_table_gains_the_columns_of_a_later_version(tmp_path: Path, mode: str) -> None:
    two_versions(tmp_path / "b")
    options = {"mode": mode, "key": ["plate"]}
    delivery = settled(tmp_path / "b", file_build(tmp_path / "files", "delta", **options))
    assert (delivery.observed.state, delivery.observed.waiting_rows) == ("current", 0), delivery.observed.message
    rows = DeltaTable(tmp_path / "files" / "out").to_pyarrow_table().to_pylist()
    assert sorted((row["window_start"].second, row["plate"], row["n"], row["total"]) for row in rows) == [
        (1, "A", 1, None),
        (2, "B", 2, None),
        (3, "A", None, 1.5),
        (4, "B", None, 2.5),
    ]


def test_a_delta_table_with_another_type_of_a_column_is_refused_with_a_remedy(tmp_path: Path) -> None:
    commit(tmp_path / "b", 1, "first", {"plate": "A", "n": 1})
    build = file_build(tmp_path / "files", "delta", mode="append")
    assert settled(tmp_path / "b", build, BEFORE).observed.state == "current"
    commit(tmp_path / "b", 2, "second", {"plate": "B", "n": "two"})
    (tmp_path / "b" / "columns" / "second.json").write_text(json.dumps({"out": {"plate": "string", "n": "string"}}))
    seen = settled(tmp_path / "b", build).observed
    assert (seen.state, seen.waiting_rows) == ("stopped", 1)
    assert seen.message is not None
    assert "column n" in seen.message
    assert "another folder" in seen.message
    assert len(DeltaTable(tmp_path / "files" / "out").to_pyarrow_table()) == 1


def test_rows_without_recorded_columns_wait_after_the_deliverable_ones(tmp_path: Path) -> None:
    commit(tmp_path, 1, "second", {"plate": "A", "total": 1.5})
    commit(tmp_path, 2, "unknown", {"plate": "B", "n": 2}, recorded=False)
    seen = settled(tmp_path, file_build(tmp_path / "files", "file", format="csv", by_day=False)).observed
    assert (seen.state, seen.domain, seen.delivered, seen.waiting_rows) == ("retrying", "internal", 1, 1)
    assert seen.message is not None
    assert "plate, n" in seen.message
    assert "version" in seen.message
    again = settled(tmp_path, file_build(tmp_path / "files", "file", format="csv", by_day=False), BEFORE).observed
    assert (again.state, again.waiting_rows) == ("current", 0), "the remedy of the message has no effect"
    assert len(list((tmp_path / "files" / "out").glob("0*"))) == 2


def test_a_delivery_reports_since_when_it_fails_until_it_succeeds(tmp_path: Path) -> None:
    commit(tmp_path, 1, "second", {"plate": "A", "total": 1.5})
    now, broken = [7 * S], [True]

    def build(_columns: Mapping[str, str]) -> Any:
        if broken[0]:
            raise AdapterError("The target is away.", domain="external")
        return ShelfAdapter(Shelf())

    target = DeliveryTarget(
        identity="one", node="out", fields=AFTER, adapter=AdapterChoice(kind="fake", options={}), revision=1
    )
    delivery = Delivery(DeliverySource("b", tmp_path), target, build, lambda: now[0])
    for _ in range(3):
        now[0] += int(delivery.step() * S) + 1
    failing = delivery.observed
    assert failing.failing_since == 7 * S
    broken[0] = False
    (tmp_path / "commits" / "1.json").unlink()
    delivery.step()
    seen = delivery.observed
    assert (seen.failing_since, seen.message) == (None, None)
