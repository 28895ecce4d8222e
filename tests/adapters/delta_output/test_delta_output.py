"""Delta Lake tables contain all committed rows, each batch once, with their corrections."""

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError, DeliveringAdapter, DeliveryBatch
from streaming.adapters.registry import delivering_adapter

FIELDS = {"plate": "string", "n": "long", "price": "decimal(10, 2)", "at": "timestamp", "tags": "array<string>"}
HOUR = 3_600_000_000


def output(root: Path, fields: dict[str, str] = FIELDS, **options: Any) -> DeliveringAdapter:
    settings = {"path": "out", "key": ["plate"] if "plate" in fields else []} | options
    return delivering_adapter("delta", settings, "punctual-1-out", fields, root)


def row(hour: int, plate: str = "B", n: int | None = 1, **attributes: Any) -> dict[str, Any]:
    payload = {"plate": plate, "n": n, "price": "1.10", "at": "2026-11-23T10:00:00Z", "tags": ["a"]}
    return {"output": "out", "start": hour * HOUR, "end": (hour + 1) * HOUR, "payload": payload} | attributes


def batch(number: int, *rows: dict[str, Any]) -> DeliveryBatch:
    return DeliveryBatch(number, rows, None)


def stored(root: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = DeltaTable(root / "out").to_pyarrow_table().to_pylist()
    return sorted(found, key=lambda each: (str(each["window_start"]), str(each["plate"])))


def test_rows_have_their_times_types_and_day_and_their_number_is_in_the_same_commit(tmp_path: Path) -> None:
    adapter = output(tmp_path)
    assert adapter.delivered() is None
    adapter.deliver([batch(3, row(0), row(30, end=None)), batch(7, row(1))])
    assert output(tmp_path).delivered() == 7
    first, _, last = stored(tmp_path)
    assert (str(first["window_start"]), str(first["price"]), first["tags"], str(first["day"])) == (
        "1970-01-01 00:00:00+00:00",
        "1.10",
        ["a"],
        "1970-01-01",
    )
    assert str(first["at"]) == "2026-11-23 10:00:00+00:00"
    assert (str(last["day"]), last["window_end"]) == ("1970-01-02", None)
    assert sorted(each.name for each in (tmp_path / "out").glob("day=*")) == ["day=1970-01-01", "day=1970-01-02"]
    assert DeltaTable(tmp_path / "out").version() == 1, "rows and number are one commit"


def test_a_batch_that_has_arrived_is_not_written_again(tmp_path: Path) -> None:
    output(tmp_path).deliver([batch(1, row(0))])
    with pytest.raises(AdapterError, match="Another process delivers the same batches"):
        output(tmp_path).deliver([batch(1, row(0)), batch(2, row(1))])
    assert len(stored(tmp_path)) == 1


def test_corrections_replace_retract_or_are_appended(tmp_path: Path) -> None:
    batches = [
        batch(1, row(0, n=1, key="p1"), row(5, n=9)),
        batch(2, row(0, n=2, key="p1"), row(1, key="p2")),
        batch(3, row(1, key="p2", deleted=True), row(8, key="p3", deleted=True)),
    ]
    for mode, path in (("upsert", "a"), ("append", "b")):
        (tmp_path / path).mkdir()
        adapter = output(tmp_path / path, mode=mode)
        for each in batches:
            adapter.deliver([each])
    assert [(each["n"], each["deleted"]) for each in stored(tmp_path / "a")] == [(2, False), (9, False)]
    assert sorted((each["result_key"] or "", each["n"], each["deleted"]) for each in stored(tmp_path / "b")) == [
        ("", 9, False),
        ("p1", 1, False),
        ("p1", 2, False),
        ("p2", 1, False),
        ("p2", 1, True),
        ("p3", 1, True),
    ]


def test_a_repair_retracts_final_rows_and_replaces_them(tmp_path: Path) -> None:
    adapter = output(tmp_path)
    adapter.deliver([batch(1, row(0, n=1), row(1, "C", n=2))])
    gone = {"deleted": True, "repair": "r"}
    adapter.deliver([batch(2, row(0, n=1, **gone), row(1, "C", n=2, **gone), row(0, n=3, repair="r"))])
    assert [(each["plate"], each["n"], each["deleted"]) for each in stored(tmp_path)] == [("B", 3, False)]


@given(
    cuts=st.sets(st.integers(1, 11)),
    written=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9), st.booleans()), min_size=12, max_size=12),
)
@settings(max_examples=8, deadline=None)
def test_an_upserted_table_is_what_the_last_row_of_each_key_says(
    tmp_path_factory: pytest.TempPathFactory, cuts: set[int], written: list[tuple[str, int, bool]]
) -> None:
    root = tmp_path_factory.mktemp("delta")
    adapter = output(root, by_day=False)
    for low, high in itertools.pairwise([0, *sorted(cuts), 12]):
        some = list(enumerate(written))[low:high]
        adapter.deliver([batch(at, row(0, key, n, key=key, deleted=gone)) for at, (key, n, gone) in some])
    last = {key: (n, gone) for key, n, gone in written}
    left = {key: n for key, (n, gone) in last.items() if not gone}
    assert {each["plate"]: each["n"] for each in stored(root)} == left
    assert adapter.delivered() == 11


@pytest.mark.parametrize(
    ("options", "fields", "words"),
    [
        ({"key": ["where"]}, FIELDS, "The key names where"),
        ({}, {"Day": "long"}, "needs the column name Day"),
        ({"path": "../x"}, FIELDS, "outside the folder"),
    ],
)
def test_names_and_paths_that_conflict_are_refused(
    tmp_path: Path, options: dict[str, Any], fields: dict[str, str], words: str
) -> None:
    with pytest.raises(AdapterError, match=words):
        output(tmp_path, fields, **options)


def test_two_rows_of_one_key_another_table_and_a_damaged_log_raise_errors(tmp_path: Path) -> None:
    adapter = output(tmp_path)
    with pytest.raises(AdapterError, match="Two results have the same start"):
        adapter.deliver([batch(1, row(0), row(0))])
    adapter.deliver([batch(2, row(0))])
    write_deltalake(tmp_path / "theirs", pa.table({"speed": [1.0]}))
    with pytest.raises(AdapterError, match="has no column window_start"):
        output(tmp_path, {"speed": "double"}, path="theirs").delivered()
    for log in (tmp_path / "out" / "_delta_log").iterdir():
        log.write_text("{no log")
    with pytest.raises(AdapterError, match="The Delta table out can't be written") as refused:
        adapter.delivered()
    assert str(tmp_path) not in str(refused.value)
