"""Committed rows on their way into files: the net result, whichever way they are read."""

import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from streaming.definition.type_text import parse_fields
from streaming.definition.types import Fields
from streaming.run.places import OutputPlace, OutputPlaces
from streaming.run.progress import NoProgress
from streaming.run.results import ResultFiles
from streaming.spark.committed_rows import tell_rows

SIMPLE = {"k": "string", "n": "long", "x": "double", "b": "boolean"}
FINAL = {"output": "out", "start": 1, "end": 2, "payload": {"k": "a", "n": 2**60 + 1, "x": 0.1, "b": True}}
NULLS = {"output": "out", "start": 3, "end": None, "payload": dict.fromkeys(SIMPLE)}


def written(folder: Path, outputs: Mapping[str, Fields], *parts: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """What stands in the files of a run that has committed `parts`."""
    paths = []
    for number, rows in enumerate(parts):
        paths.append(folder / f"part-{number}.jsonl")
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    places = {name: OutputPlace(folder / f"{name}.jsonl", "json_lines") for name in outputs}
    results = ResultFiles(OutputPlaces(outputs=places, late=None), outputs, NoProgress())
    results.open()
    tell_rows(paths, outputs, results)
    results.finish()
    lines = {name: (folder / f"{name}.jsonl").read_text().splitlines() for name in outputs}
    return {name: [json.loads(line) for line in found] for name, found in lines.items()}


def test_final_rows_keep_every_digit_and_their_order(tmp_path: Path) -> None:
    found = written(tmp_path, {"out": parse_fields(SIMPLE)}, [NULLS], [FINAL, FINAL])["out"]
    assert [row["start"] for row in found] == [3, 1, 1]
    assert found[0] == {"start": 3, "end": None, "payload": dict.fromkeys(SIMPLE)}
    assert found[1]["payload"] == FINAL["payload"]


def test_of_rows_that_were_replaced_the_last_one_counts_and_deleted_ones_are_gone(tmp_path: Path) -> None:
    def keyed(key: str, n: int, *, deleted: bool = False) -> dict[str, Any]:
        return {**FINAL, "payload": {**NULLS["payload"], "n": n}, "key": key, "edge": None, "deleted": deleted}  # type: ignore[dict-item]

    parts = [keyed("p", 1), keyed("q", 5), FINAL], [keyed("p", 2), keyed("q", 5, deleted=True)]
    found = written(tmp_path, {"out": parse_fields(SIMPLE)}, *parts)["out"]
    assert [row["payload"]["n"] for row in found] == [2**60 + 1, 2]


@pytest.mark.parametrize(
    ("of", "stored", "shown"),
    [
        ("decimal(10,2)", "1.50", Decimal("1.50")),
        ("timestamp", "1970-01-01T00:00:01Z", "1970-01-01T00:00:01Z"),
        ("array<long>", [1, None], [1, None]),
    ],
)
def test_values_that_json_holds_otherwise_are_read_one_by_one(tmp_path: Path, of: str, stored: Any, shown: Any) -> None:
    row = {"output": "out", "start": 1, "end": 2, "payload": {"v": stored}}
    found = written(tmp_path, {"out": parse_fields({"v": of})}, [row])["out"]
    assert found == [{"start": 1, "end": 2, "payload": {"v": float(shown) if isinstance(shown, Decimal) else shown}}]


def test_rows_of_several_outputs_go_each_to_its_file(tmp_path: Path) -> None:
    rows = [{"output": name, "start": at, "end": 9, "payload": {"v": name}} for at, name in enumerate("aba")]
    fields = parse_fields({"v": "string"})
    found = written(tmp_path, {"a": fields, "b": fields}, rows)
    assert {name: [row["start"] for row in each] for name, each in found.items()} == {"a": [0, 2], "b": [1]}
