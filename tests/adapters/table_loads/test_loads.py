"""Loads of a table: one snapshot for each change of its files, read from a copy, whole or not at all (T50, T51)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError, InputAdapter
from streaming.adapters.file.found import FoundFile
from streaming.adapters.registry import input_adapter
from streaming.adapters.table_loads.journal import KEPT_LOADS
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.outcomes import Reason
from streaming.temporal.tables import MalformedVersion, Snapshot
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import Element, MalformedRow
from tests.adapters.inputs import write

S = 1_000_000
RATES = "currency,rate\nEUR,2\nUSD,3\n"


def table(effective: str = "poll", clock: str = "follow", **more: Any) -> StreamDefinition:
    return StreamDefinition.model_validate(
        {
            "shape": "table",
            "fields": {"currency": "string", "rate": "long"},
            "keys": ["currency"],
            "clock": clock,
            "load": {"every": "10s", "effective": effective},
            **more,
        }
    )


class Loader:
    """A table over the folder `rates`, polled by a clock that the test moves."""

    def __init__(self, home: Path, stream: StreamDefinition, **options: Any) -> None:
        self.files = home / "files"
        self.journal = home / "journal"
        self.stream = stream
        self.options = {"path": "rates", **options}
        self.adapter = self.built()
        self.reached: Mapping[str, int] = {"0": 0}
        self.now = 0

    def built(self) -> InputAdapter:
        return input_adapter("file", self.options, self.stream, self.files, self.journal)

    def poll(self, now: int) -> list[Element]:
        """Return what the poll at `now` s loads."""
        further = self.adapter.latest(self.reached, now=now * S, limit_rows=1_000)
        found = self.read(self.reached["0"], further["0"])
        self.reached = further
        return found

    def read(self, start: int, end: int) -> list[Element]:
        return [element for chunk in self.adapter.read("0", start, end) for element in elements(chunk)]

    def write(self, content: str | bytes, name: str = "a.csv", *, modified_s: int = 1_000) -> None:
        write(self.files / "rates" / name, content, modified_s=modified_s)


def rates(**of: int) -> tuple[dict[str, Any], ...]:
    return tuple({"currency": name, "rate": rate} for name, rate in of.items())


def test_each_change_of_the_file_is_a_snapshot_at_its_poll(tmp_path: Path) -> None:
    loader = Loader(tmp_path, table())
    loader.write(RATES)
    assert loader.poll(100) == [Snapshot(100 * S, rates(EUR=2, USD=3))]
    assert loader.poll(110) == []
    loader.write("currency,rate\nEUR,4\n", modified_s=1_001)
    assert loader.poll(115) == [], "it is polled every 10 s"
    assert loader.poll(120) == [Snapshot(120 * S, rates(EUR=4))]


def test_a_load_takes_all_files_of_the_folder(tmp_path: Path) -> None:
    loader = Loader(tmp_path, table())
    loader.write("currency,rate\nEUR,2\n", "a.csv")
    loader.write('{"currency": "USD", "rate": 3}\n', "b.jsonl", modified_s=1_001)
    assert loader.poll(100) == [Snapshot(100 * S, rates(EUR=2, USD=3))]


def test_the_time_of_the_file_or_of_a_column_is_that_of_the_load(tmp_path: Path) -> None:
    loader = Loader(tmp_path / "file", table("file_time"))
    loader.write(RATES, modified_s=77)
    assert loader.poll(100) == [Snapshot(77 * S, rates(EUR=2, USD=3))]
    loader = Loader(tmp_path / "column", table("column valid"))
    loader.write("currency,rate,valid\nEUR,2,1970-01-01T00:00:50Z\nUSD,3,1970-01-01T00:00:50Z\n")
    assert loader.poll(100) == [Snapshot(50 * S, rates(EUR=2, USD=3))]
    loader.write("currency,rate,valid\nEUR,2,1970-01-01T00:00:50Z\nUSD,3,1970-01-01T00:00:51Z\n", modified_s=1_001)
    assert loader.poll(120) == [MalformedRow(Reason.BAD_TIME)], "its rows are of two times"


def test_a_date_in_the_name_makes_each_file_a_load_in_order_of_time(tmp_path: Path) -> None:
    loader = Loader(tmp_path, table("path 'rates-'yyyy-MM-dd'.csv'"))
    loader.write("currency,rate\nEUR,4\n", "rates-1970-01-03.csv")
    loader.write("currency,rate\nEUR,2\n", "rates-1970-01-02.csv", modified_s=2_000)
    day = 86_400 * S
    assert loader.poll(100) + loader.poll(101) == [Snapshot(day, rates(EUR=2)), Snapshot(2 * day, rates(EUR=4))]
    loader.write("currency,rate\nEUR,6\n", "rates-1970-01-04.csv")
    assert loader.poll(120) == [Snapshot(3 * day, rates(EUR=6))]
    loader.write(RATES, "other.csv")
    with pytest.raises(AdapterError, match="doesn't match the pattern"):
        loader.poll(140)


def test_a_replay_reads_the_copy_and_never_the_file_again(tmp_path: Path) -> None:
    loader = Loader(tmp_path, table())
    loader.write(RATES)
    first = loader.poll(100)
    loader.write("currency,rate\nEUR,9\n", modified_s=1_001)
    second = loader.poll(110)
    (loader.files / "rates" / "a.csv").unlink()
    loader.adapter = loader.built()
    assert loader.read(0, 2) == [*first, *second]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.csv", "currency,rate\nEUR,2\nUSD,three\n", Reason.BAD_PAYLOAD),
        ("a.jsonl", '{"currency": "EUR", "rate": 2}\n{"currency": "US', Reason.BAD_ROW),
        ("a.parquet", b"PAR1 is cut off", Reason.BAD_ROW),
        ("a.csv", "currency\nEUR\n", Reason.BAD_ROW),
    ],
)
def test_a_load_that_can_t_be_read_whole_counts_as_nothing(
    tmp_path: Path, name: str, content: str | bytes, reason: Reason
) -> None:
    """Not one of its rows counts, and the versions before stay; the next load counts again."""
    loader = Loader(tmp_path, table())
    loader.write(content, name)
    assert loader.poll(100) == [MalformedVersion(100 * S, reason)]
    (loader.files / "rates" / name).unlink()
    loader.write(RATES, modified_s=1_001)
    assert loader.poll(120) == [Snapshot(120 * S, rates(EUR=2, USD=3))]


def test_a_file_that_is_replaced_while_it_is_copied_is_no_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loader = Loader(tmp_path, table())
    loader.write(RATES)
    opened = FoundFile.open_stored

    def replaced(file: FoundFile) -> Any:
        found = opened(file)
        loader.write("currency,rate\nEUR,9\n", modified_s=1_001)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(FoundFile, "open_stored", replaced)
        assert loader.poll(100) == []
    assert loader.poll(110) == [Snapshot(110 * S, rates(EUR=9))]


def test_rows_without_a_key_and_repeated_keys_are_malformed_on_their_own(tmp_path: Path) -> None:
    loader = Loader(tmp_path, table())
    loader.write("currency,rate\nEUR,2\n,5\nEUR,3\n")
    assert loader.poll(100) == [
        Snapshot(100 * S, rates(EUR=3)),
        MalformedVersion(100 * S, Reason.BAD_PAYLOAD),
        MalformedVersion(100 * S, Reason.DUPLICATE_KEY),
    ]


def test_a_clock_that_waits_for_polls_gets_a_load_at_each(tmp_path: Path) -> None:
    loader = Loader(tmp_path, table(clock="poll"))
    loader.write(RATES)
    assert loader.poll(100) == [Snapshot(100 * S, rates(EUR=2, USD=3))]
    assert loader.poll(110) == [Snapshot(110 * S, rates(EUR=2, USD=3))]
    assert len(list(loader.journal.glob("load-*"))) == 1, "an unchanged file is copied once"


def test_a_static_table_ends_after_its_first_load(tmp_path: Path) -> None:
    loader = Loader(tmp_path, table(clock="static"))
    loader.write(RATES)
    assert not loader.adapter.finished(loader.reached)
    loader.poll(100)
    assert loader.adapter.finished(loader.reached)
    loader.write("currency,rate\nEUR,9\n", modified_s=1_001)
    assert loader.poll(200) == []


def test_copies_are_kept_for_a_number_of_loads(tmp_path: Path) -> None:
    loader = Loader(tmp_path, table())
    for number in range(KEPT_LOADS + 5):
        loader.write(f"currency,rate\nEUR,{number}\n", modified_s=1_000 + number)
        assert loader.poll(100 + 10 * number) == [Snapshot((100 + 10 * number) * S, rates(EUR=number))]
    assert len(list(loader.journal.glob("load-*"))) == KEPT_LOADS
    holds = loader.adapter.holds  # type: ignore[attr-defined]
    assert holds("0", 5, KEPT_LOADS + 5)
    assert not holds("0", 4, KEPT_LOADS + 5)


def test_other_adapters_don_t_load_tables_whole(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="can't be loaded whole"):
        input_adapter("push", {"inbox": "rates"}, table(), tmp_path)
