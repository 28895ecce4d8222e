"""A table that can't be read exactly raises an error, or, if so configured, gives a row that reports the gap."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from streaming.adapters.contract import AdapterError
from streaming.adapters.entry_journal import shared_journal
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.outcomes import Reason
from tests.adapters.delta.tables import STREAM, Lake
from tests.adapters.inputs import malformed, payloads, rows

LATER = 1_000_000_000


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    found = Lake(tmp_path)
    found.append(range(4))
    return found


def read_numbers(lake: Lake, **options: Any) -> list[Any]:
    """The numbers that were read; a gap is represented by its reason."""
    return payloads(rows(lake.reader(None, **options)), "n")


@pytest.mark.parametrize("change", ["delete", "delete a file", "update", "overwrite", "merge"])
def test_versions_that_change_rows_stop_the_input_or_are_skipped_and_reported(lake: Lake, change: str) -> None:
    new = {"ts": [0, 50], "n": [0, 5], "k": ["k0", "k1"]}
    table = lake.table
    if change == "delete":
        table.delete("n = 1")
    elif change == "delete a file":
        table.delete()
    elif change == "update":
        table.update(updates={"k": "'x'"}, predicate="n = 1")
    elif change == "overwrite":
        write_deltalake(lake.path, pa.table(new), mode="overwrite")
    else:
        (
            table.merge(pa.table(new), "target.n = source.n", "source", "target")
            .when_matched_update_all()
            .when_not_matched_insert_all()
            .execute()
        )
    lake.append([9])
    with pytest.raises(
        AdapterError, match=r"Version 1 of the table 'lake' \([A-Z]+\) changed existing rows.*mode append"
    ):
        read_numbers(lake)
    assert read_numbers(lake, changes="skip") == [0, 1, 2, 3, Reason.BAD_ROW, 9]
    [(position, _, text)] = malformed(lake.reader(None, changes="skip"))
    assert position == 4
    assert "removed 1 file" in text
    assert "None of its rows were read" in text
    assert Reason.BAD_ROW not in read_numbers(lake, start="snapshot")


def test_a_merge_that_only_inserts_appends(lake: Lake) -> None:
    new = pa.table({"ts": [40], "n": [4], "k": ["k0"]})
    (
        lake.table.merge(new, "target.n = source.n", "source", "target")
        .when_matched_update_all()
        .when_not_matched_insert_all()
        .execute()
    )
    assert read_numbers(lake) == [0, 1, 2, 3, 4]


def test_rows_removed_by_vacuum_before_they_were_read_raise_an_error_or_are_counted_in_a_row(lake: Lake) -> None:
    lake.append([7])
    lake.compact()
    lake.vacuum()
    lake.append([8])
    with pytest.raises(
        AdapterError, match=r"4 rows of version 0 .* can't be read: the file 'lake/part-.* `start` " r"set to snap"
    ):
        read_numbers(lake)
    assert read_numbers(lake, lost="skip") == [Reason.BAD_ROW, Reason.BAD_ROW, 8]
    texts = [text for _, _, text in malformed(lake.reader(None, lost="skip"))]
    assert texts[0].startswith("4 rows of version 0")
    assert sorted(read_numbers(lake, start="snapshot")) == [0, 1, 2, 3, 7, 8]


def test_planned_rows_that_are_removed_before_they_were_read_are_one_row_or_an_error(lake: Lake) -> None:
    for journal, lost in (("a", "fail"), ("b", "skip")):
        lake.reader(journal, lost=lost).latest({}, now=0, limit_rows=3)
    lake.append([7])
    lake.compact()
    lake.vacuum()
    with pytest.raises(AdapterError, match="3 rows of version 0"):
        list(lake.reader("a").read("0", 0, 3))
    [chunk] = lake.reader("b", lost="skip").read("0", 1, 3)
    assert (chunk.positions.tolist(), chunk.raw([0])[0][:6]) == ([1], "2 rows")


def test_versions_deleted_from_the_log_raise_an_error_or_are_reported_in_a_row(lake: Lake) -> None:
    lake.append([7])
    lake.append([8])
    lake.table.create_checkpoint()
    lake.append([9])
    for version in (0, 1):
        (lake.log / f"{version:020}.json").unlink()
    with pytest.raises(AdapterError, match="The versions 0 to 1 of the table 'lake' are no longer in its log"):
        read_numbers(lake)
    assert read_numbers(lake, lost="skip") == [Reason.BAD_ROW, 8, 9]
    assert sorted(read_numbers(lake, start="snapshot")) == [0, 1, 2, 3, 7, 8, 9]


def test_a_recreated_table_is_noticed_even_while_nothing_is_added(lake: Lake) -> None:
    adapter = lake.reader()
    reached = adapter.latest({}, now=0, limit_rows=100)
    shutil.rmtree(lake.path)
    lake.append(range(4))
    assert adapter.latest(reached, now=1, limit_rows=100) == reached
    with pytest.raises(AdapterError, match="deleted and created again"):
        adapter.latest(reached, now=LATER, limit_rows=100)


def test_a_missing_journal_raises_an_error(lake: Lake) -> None:
    reached = lake.reader().latest({}, now=0, limit_rows=100)
    shutil.rmtree(lake.own / "journal")
    shared_journal.cache_clear()
    with pytest.raises(AdapterError, match="its journal holds only 0 because it was removed"):
        lake.reader().latest(reached, now=0, limit_rows=100)


def rewrite(lake: Lake, change: Any) -> None:
    """Put another version 0 into the log."""
    log = lake.log / f"{0:020}.json"
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    for action in actions:
        change(action)
    log.write_text("".join(json.dumps(action) + "\n" for action in actions))


def named(column: str) -> Any:
    def change(action: dict[str, Any]) -> None:
        if "metaData" in action:
            action["metaData"]["configuration"] = {
                "delta.columnMapping.mode": "name",
                "delta.columnMapping.maxColumnId": "3",
            }
            schema = json.loads(action["metaData"]["schemaString"])
            for number, field in enumerate(schema["fields"], 1):
                field["metadata"] = {
                    "delta.columnMapping.id": number,
                    "delta.columnMapping.physicalName": f"{column}{number}",
                }
            action["metaData"]["schemaString"] = json.dumps(schema)
        if "protocol" in action:
            action["protocol"] = {"minReaderVersion": 2, "minWriterVersion": 5}

    return change


def needs(*features: str) -> Any:
    def change(action: dict[str, Any]) -> None:
        if "protocol" in action:
            action["protocol"] = {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": list(features),
                "writerFeatures": list(features),
            }

    return change


def hiding(action: dict[str, Any]) -> None:
    needs("deletionVectors")(action)
    if "add" in action:
        vector = {"storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^", "offset": 4, "sizeInBytes": 40}
        action["add"]["deletionVector"] = {**vector, "cardinality": 2}


def elsewhere(action: dict[str, Any]) -> None:
    if "add" in action:
        action["add"]["path"] = "file:///etc/passwd"


def outside(action: dict[str, Any]) -> None:
    if "add" in action:
        action["add"]["path"] = "../../../secret.parquet"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (named("col-"), r"uses column mapping \(name\)"),
        (needs("icebergCompatV9"), "icebergCompatV9"),
        (hiding, "Version 0 of the table 'lake' marks deleted rows"),
        (elsewhere, "refers to a file outside its folder"),
        (outside, "is outside the folder of this organisation"),
    ],
)
def test_tables_with_state_outside_their_files_are_refused(lake: Lake, change: Any, words: str) -> None:
    rewrite(lake, change)
    with pytest.raises(AdapterError, match=words) as refused:
        read_numbers(lake)
    assert str(lake.own) not in str(refused.value)


def test_features_that_change_nothing_for_a_reader_are_read(lake: Lake) -> None:
    rewrite(lake, needs("deletionVectors", "timestampNtz", "vacuumProtocolCheck"))
    assert read_numbers(lake) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "damage", ["{no log", '{"add":{"path":3}}', "[" * 100_000, '{"add":null}\n' + "x" * (17 << 20)]
)
def test_a_damaged_log_raises_an_error(lake: Lake, damage: str) -> None:
    lake.append([7])
    adapter = lake.reader(None)
    (lake.log / f"{1:020}.json").write_text(damage)
    with pytest.raises(AdapterError, match="can't be read") as refused:
        adapter.latest({}, now=0, limit_rows=100)
    assert str(lake.own) not in str(refused.value)


def test_files_that_differ_from_the_log_raise_errors(lake: Lake) -> None:
    [file] = lake.path.glob("part-*")
    content = file.read_bytes()
    for written, words in (
        (content[:-9] + b"x" * 9, "not a complete Parquet file"),
        (content + b"x", "but its log says"),
    ):
        file.write_bytes(written)
        with pytest.raises(AdapterError, match=words):
            read_numbers(lake)


@pytest.mark.parametrize(
    ("options", "stream", "words"),
    [
        ({"path": "nowhere"}, STREAM, "There is no Delta table in 'nowhere'"),
        ({"path": "../x"}, STREAM, "outside the folder"),
        ({"path": "s3://bucket/lake"}, STREAM, "There is no Delta table in 's3://bucket/lake'"),
        ({"start": "version", "start_version": 5}, STREAM, "no version 5 yet; its newest is 0"),
        ({"start": "version"}, STREAM, "first version"),
        ({"start": "time", "start_time": "soon"}, STREAM, "start_time|soon"),
        ({"cti_column": "ctis"}, STREAM, "The table 'lake' has no column 'ctis'. Its columns are ts, n, k"),
        ({}, STREAM.model_copy(update={"fields": {"m": "long"}}), "has no column 'm'"),
        ({}, STREAM.model_copy(update={"fields": {"k": "long"}}), "The column 'k' .* is string, but the field"),
        ({}, StreamDefinition(fields={"n": "long"}), "has no column 'start'"),
    ],
)
def test_unsuitable_options_and_streams_raise_errors(
    lake: Lake, options: dict[str, Any], stream: StreamDefinition, words: str
) -> None:
    with pytest.raises(AdapterError, match=words):
        rows(lake.reader(None, stream, **options))
