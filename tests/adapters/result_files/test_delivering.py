"""Results in a folder and in a bucket: each row once, for any failure, writer and division."""

import csv
import io
import itertools
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from streaming.adapters.contract import AdapterError, CheckedTarget, DeliveringAdapter, DeliveryBatch
from streaming.adapters.registry import delivering_adapter
from streaming.adapters.result_files import content as result_content
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape
from streaming.wire.outgoing import OutgoingPolicy
from tests.adapters.inputs import files, payloads, rows
from tests.object_store import ObjectStore, object_store

FIELDS = {"plate": "string", "n": "long", "price": "decimal(10, 2)", "at": "timestamp", "tags": "array<string>"}
HOUR = 3_600_000_000
LOCAL = OutgoingPolicy(networks=("127.0.0.0/8",))
IDENTITY = "0b5d7a52-out"


@pytest.fixture(scope="module")
def store() -> Iterator[ObjectStore]:
    with object_store() as found:
        yield found


class Target:
    """A folder, or a prefix of a bucket of its own."""

    def __init__(self, root: Path, store: ObjectStore | None) -> None:
        self.root = root
        self.store = store
        self.bucket = root.name.replace("_", "-").lower()[-40:].strip("-") + "-b"
        if store is not None:
            store.client().create_bucket(Bucket=self.bucket)

    def adapter(self, fields: dict[str, str] = FIELDS, identity: str = IDENTITY, **options: Any) -> DeliveringAdapter:
        if self.store is None:
            return delivering_adapter("file", {"path": "out", **options}, identity, fields, self.root)
        settings = self.store.options(self.bucket, prefix="out", **options)
        return delivering_adapter("s3", settings, identity, fields, self.root, LOCAL)

    def objects(self) -> dict[str, bytes]:
        """The files below `out` that are not ours, by name."""
        if self.store is None:
            place = self.root / "out"
            found = {str(each.relative_to(place)): each.read_bytes() for each in place.rglob("*") if each.is_file()}
        else:
            found = {key.removeprefix("out/"): value for key, value in self.store.objects(self.bucket).items()}
        assert not [name for name in found if name.endswith(".test")]
        return {name: value for name, value in sorted(found.items()) if not name.startswith("_")}

    def numbers(self) -> list[int]:
        """The field `n` of every row of every file."""
        return sorted(
            json.loads(line)["payload"]["n"]
            for name, content in self.objects().items()
            if name.endswith(".jsonl")
            for line in content.splitlines()
        ) + sorted(
            row["n"]
            for name, content in self.objects().items()
            if name.endswith(".parquet")
            for row in pq.read_table(io.BytesIO(content)).to_pylist()
        )


@pytest.fixture(params=["file", "s3"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Target:
    return Target(tmp_path, request.getfixturevalue("store") if request.param == "s3" else None)


def row(hour: int, n: int = 1, **attributes: Any) -> dict[str, Any]:
    payload = {"plate": "B", "n": n, "price": "1.10", "at": "2026-11-23T10:00:00Z", "tags": ["a"]}
    return {"output": "out", "start": hour * HOUR, "end": (hour + 1) * HOUR, "payload": payload} | attributes


def batch(number: int, *found: dict[str, Any], cti: int | None = None) -> DeliveryBatch:
    return DeliveryBatch(number, found, cti)


def test_rows_are_in_the_folder_of_their_start_day_and_the_target_has_the_last_batch(target: Target) -> None:
    adapter = target.adapter(format="json_lines")
    assert adapter.delivered() is None
    adapter.deliver([batch(3, row(23, 1), row(24, 2), row(-1, 3)), batch(7, row(1, 4, end=None))])
    assert target.adapter(format="json_lines").delivered() == 7
    found = target.objects()
    assert list(found) == [
        f"day=1969-12-31/000000000003-0000-{IDENTITY}.jsonl",
        f"day=1970-01-01/000000000003-0000-{IDENTITY}.jsonl",
        f"day=1970-01-01/000000000007-0000-{IDENTITY}.jsonl",
        f"day=1970-01-02/000000000003-0000-{IDENTITY}.jsonl",
    ]
    assert json.loads(list(found.values())[2]) == {
        "start": "1970-01-01T01:00:00Z",
        "end": None,
        "payload": row(1, 4)["payload"],
    }


def test_the_formats_contain_the_same_rows(target: Target) -> None:
    rows = [row(0, 1, key="p"), row(1, 2, key="p", deleted=True), row(2, 3, incomplete=True), row(3, 4, edge="start")]
    for form in ("json_lines", "csv", "parquet"):
        target.adapter(format=form, by_day=False, identity=form).deliver([batch(1, *rows)])
    found = target.objects()
    assert list(found) == [
        "000000000001-0000-csv.csv",
        "000000000001-0000-json_lines.jsonl",
        "000000000001-0000-parquet.parquet",
    ]
    cells = list(csv.DictReader(io.StringIO(found["000000000001-0000-csv.csv"].decode())))
    typed = pq.read_table(io.BytesIO(found["000000000001-0000-parquet.parquet"])).to_pylist()
    written = [json.loads(line) for line in found["000000000001-0000-json_lines.jsonl"].splitlines()]
    assert [each["window_start"][:19] for each in cells] == [f"1970-01-01T0{at}:00:00" for at in range(4)]
    for at, (cell, value, line) in enumerate(zip(cells, typed, written, strict=True)):
        assert int(cell["n"]) == value["n"] == line["payload"]["n"] == at + 1
        assert cell["price"] == str(value["price"]) == "1.10"
        assert json.loads(cell["tags"]) == value["tags"] == ["a"]
        assert (cell["result_key"] or None) == value["result_key"] == line.get("key")
        assert (cell["deleted"] == "true") == value["deleted"] == bool(line.get("deleted"))
        assert (cell["incomplete"] == "true") == value["incomplete"] == bool(line.get("incomplete"))
        assert (cell["edge"] or None) == value["edge"] == line.get("edge")


def test_json_lines_of_a_folder_are_an_input_again(tmp_path: Path) -> None:
    target = Target(tmp_path, None)
    numbers = {"plate": "string", "n": "long"}
    plain = [row(hour) | {"payload": {"plate": "B", "n": n}} for hour, n in ((0, 1), (30, 2))]
    target.adapter(numbers, format="json_lines").deliver([batch(1, *plain)])
    stream = StreamDefinition(shape=Shape.INTERVAL, fields=numbers)
    read = files(tmp_path, stream, path="out", pattern="**/*")
    assert payloads(rows(read), "n") == [1, 2]


def test_a_large_batch_is_divided_the_same_way_each_time(target: Target, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_content, "ROWS_IN_A_FILE", 2)
    large = batch(1, *[row(0, n) for n in range(5)])
    target.adapter(format="json_lines").deliver([large])
    before = target.objects()
    assert len(before) == 3
    assert target.numbers() == [0, 1, 2, 3, 4]


def batches() -> list[DeliveryBatch]:
    rng = random.Random(7)
    made, n = [], 0
    for number in range(0, 24, 2):
        count = rng.randrange(4)
        made.append(batch(number, *[row(rng.randrange(72), n + at) for at in range(count)], cti=number))
        n += count
    return made


def deliver_all(
    target: Target, every: Sequence[DeliveryBatch], rng: random.Random, forms: Sequence[str] = ("json_lines",)
) -> int:
    """Deliver as `Delivery` does, in pieces that change with each attempt; return the number of failures."""
    failed = 0
    for _ in range(500):
        adapter = target.adapter(format=forms[failed % len(forms)])
        try:
            delivered = adapter.delivered()
            while rest := [each for each in every if delivered is None or each.number > delivered]:
                some = rest[: rng.randrange(1, 4)]
                adapter.deliver(some)
                delivered = some[-1].number
            return failed
        except AdapterError as error:
            if error.domain != "external":
                raise
            failed += 1
        finally:
            adapter.close()
    raise AssertionError("it never came to an end")


@pytest.mark.parametrize("forms", [("json_lines",), ("json_lines", "parquet")])
@pytest.mark.parametrize("then", [500, "lost"])
def test_each_row_is_there_once_whatever_request_fails(
    store: ObjectStore, tmp_path: Path, then: int | str, forms: tuple[str, ...]
) -> None:
    every = batches()
    wanted = sorted(each["payload"]["n"] for one in every for each in one.rows)
    target, rng = Target(tmp_path, store), random.Random(1)
    chance = random.Random(2)
    faults = [
        (chance.choice(["PUT", "PUT", "PUT", "GET"]), chance.choice(["day=", "_punctual-"]), then) for _ in range(40)
    ]
    failed = 0
    for fault in faults:  # one after the other, so that every stage is tested
        store.fail(fault)
        failed += deliver_all(target, every[: failed % len(every) + 1], rng, forms)
    store.fail()
    failed += deliver_all(target, every, rng, forms)
    assert failed > 5
    assert sorted(target.numbers()) == wanted


class Crashed(AdapterError):
    """The process was killed here."""

    def __init__(self) -> None:
        super().__init__("killed", domain="external")


@pytest.mark.parametrize("forms", [("json_lines",), ("json_lines", "parquet")])
def test_each_row_is_there_once_wherever_the_writer_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forms: tuple[str, ...]
) -> None:
    from streaming.adapters.file_output.store import ResultFolder

    every, rng = batches(), random.Random(3)
    wanted = sorted(each["payload"]["n"] for one in every for each in one.rows)
    left = {"operations": 0}

    def dying(name: str) -> None:
        real = getattr(ResultFolder, name)

        def operation(self: ResultFolder, *given: Any) -> Any:
            left["operations"] -= 1
            if left["operations"] == 0 and rng.random() < 0.5:
                raise Crashed  # before
            done = real(self, *given)
            if left["operations"] == 0:
                raise Crashed  # after
            return done

        monkeypatch.setattr(ResultFolder, name, operation)

    for name in ("put", "remove", "read_mark", "write_mark"):
        dying(name)
    for at in itertools.count(1):
        folder = tmp_path / str(at)
        folder.mkdir()
        left["operations"] = at
        killed = deliver_all(Target(folder, None), every, rng, forms)
        assert sorted(Target(folder, None).numbers()) == wanted
        if not killed:
            break
    assert at > 15


def test_of_two_delivering_processes_the_second_is_refused(target: Target) -> None:
    first, second = target.adapter(format="json_lines"), target.adapter(format="json_lines")
    assert (first.delivered(), second.delivered()) == (None, None)
    first.delivered()
    first.deliver([batch(1, row(0, 1))])
    with pytest.raises(AdapterError, match="Another process delivers the same batches"):
        second.deliver([batch(1, row(0, 1)), batch(2, row(0, 2))])
    assert target.adapter(format="json_lines").delivered() == 1
    with pytest.raises(AdapterError, match="Another process delivers the same batches"):
        first.deliver([batch(1, row(0, 1))])
    first.deliver([batch(2, row(0, 2)), batch(3, cti=5)])
    assert target.numbers() == [1, 2]
    first.deliver([batch(4, cti=9)])
    assert target.adapter(format="json_lines").delivered() == 3


def test_a_store_without_conditions_is_written_anyway(store: ObjectStore, tmp_path: Path) -> None:
    target = Target(tmp_path, store)
    store.fail(*[("PUT", "_punctual-", 501)] * 2)
    adapter = target.adapter(format="json_lines")
    with pytest.raises(AdapterError, match="does not support the request"):
        adapter.delivered()  # the unconditional attempt got the second 501
    store.fail(("PUT", "_punctual-", 501))
    assert target.adapter(format="json_lines").delivered() is None
    adapter = target.adapter(format="json_lines")
    assert adapter.delivered() is None
    store.fail(("PUT", "_punctual-", 501))
    adapter.deliver([batch(1, row(0, 1))])
    assert target.adapter(format="json_lines").delivered() == 1


def test_other_outputs_files_and_marks_are_left_alone(target: Target) -> None:
    target.adapter(format="json_lines", identity="other").deliver([batch(9, row(0, 5))])
    target.adapter(format="json_lines").delivered()
    assert target.adapter(format="parquet").delivered() is None, "another layout removes leftover files"
    assert target.numbers() == [5]
    assert target.adapter(format="json_lines", identity="other").delivered() == 9


def test_the_check_leaves_nothing_and_damage_raises_an_error(target: Target) -> None:
    adapter = target.adapter()
    assert isinstance(adapter, CheckedTarget)
    adapter.check()
    assert target.objects() == {}
    adapter.deliver([batch(1, row(0))])
    mark = f"out/_punctual-{IDENTITY}.json"
    if target.store is None:
        (target.root / mark).write_text("{")
    else:
        target.store.put(target.bucket, mark, b"{")
    for work in (target.adapter().delivered, adapter.check):
        with pytest.raises(AdapterError, match="records the last delivered batch, is damaged"):
            work()


def test_unsuitable_names_and_folders_are_refused(tmp_path: Path) -> None:
    target = Target(tmp_path, None)
    with pytest.raises(AdapterError, match="needs the column name Deleted"):
        target.adapter({"Deleted": "long"})
    with pytest.raises(AdapterError, match="outside the folder"):
        target.adapter(path="../x")
    (tmp_path / "out").write_text("a file")
    with pytest.raises(AdapterError, match=r"The folder 'out' can't be written .*The delivery is retried") as refused:
        target.adapter().delivered()
    assert refused.value.domain == "external"
