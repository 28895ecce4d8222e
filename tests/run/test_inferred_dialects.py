"""Real-world files, run without --streams: the form of the text is detected as for a proposal."""

import json
from pathlib import Path
from typing import Any

import pytest

from streaming.wire.yaml_data import yaml_data
from tests.run.runs import PASS, Folder

A, B = "2024-03-05T10:00:00Z", "2024-03-05T10:00:10Z"
TICKS = (1_709_632_800_000_000, 1_709_632_810_000_000)
RECORDS = [{"at": A, "v": 0}, {"at": B, "v": 1}]
TWO: list[dict[str, Any]] = [{"v": 0}, {"v": 1}]
FILES: dict[str, tuple[str, bytes, str, list[dict[str, Any]]]] = {
    "decimal commas": ("f.csv", f"at;v\n{A};1.234,5\n{B};0,25\n".encode(), "at", [{"v": 1234.5}, {"v": 0.25}]),
    "separator": ("f.csv", f"sep=|\nat|v\n{A}|0\n{B}|1\n".encode(), "at", TWO),
    "lines before": ("f.csv", f"# a\n# b\n\nat,v\n{A},0\n{B},1\n".encode(), "at", TWO),
    "no names": ("f.csv", f"{A},0\n{B},1\n".encode(), "column_1", [{"column_2": 0}, {"column_2": 1}]),
    "escapes": ("f.csv", f'at,k\n{A},"a \\"b, c\\""\n{B},"d"\n'.encode(), "at", [{"k": 'a "b, c"'}, {"k": "d"}]),
    "nulls": ("f.csv", f"at,v\n{A},NA\n{B},1\n".encode(), "at", [{"v": None}, {"v": 1}]),
    "utf-16": ("f.csv", f"at,k\n{A},Łódź\n{B},b\n".encode("utf-16"), "at", [{"k": "Łódź"}, {"k": "b"}]),
    "returns": ("f.csv", f"at,v\r{A},0\r{B},1\r".encode(), "at", TWO),
    "a list": ("f.json", json.dumps(RECORDS, indent=1).encode(), "at", TWO),
    "a document on one line": ("f.json", json.dumps({"Records": RECORDS}).encode(), "at", TWO),
    "lines in utf-16": ("f.jsonl", "".join(f"{json.dumps(each)}\n" for each in RECORDS).encode("utf-16"), "at", TWO),
}


@pytest.mark.parametrize("executor", ["reference", "engine"])
@pytest.mark.parametrize("name", FILES)
def test_a_file_runs_as_it_is_written(folder: Folder, name: str, executor: str) -> None:
    file, content, start, payloads = FILES[name]
    (folder.path / file).write_bytes(content)
    query = folder.write("q.sql", f"SELECT STREAM {', '.join(payloads[0])} FROM s EVENTTIME BY {start};")
    ran = folder.run(query, {"s": str(folder.path / file)}, "--executor", executor)
    assert ran.code == 0, ran.messages
    found = sorted((row["start"], row["payload"]) for row in folder.read())
    assert found == list(zip(TICKS, payloads, strict=True))


def test_the_detected_form_is_reported_and_in_the_yaml_to_write(folder: Folder) -> None:
    file = folder.write("f.csv", f"at;größe\n{A};0,5\n")
    ran = folder.run(folder.graph(*PASS), {"s": file})
    assert ran.code == 2
    assert '  delimiter: ";"\n  dialect: {"decimal": ","}' in ran.messages
    file = folder.write("g.csv", f"at;v\n{A};0,5\n")
    messages = folder.run(folder.write("q.sql", "SELECT STREAM v FROM s EVENTTIME BY at;"), {"s": file}).messages
    assert "Cells are separated by semicolons. Numbers are written with the decimal mark ','. Use --streams" in messages


@pytest.mark.parametrize(
    ("file", "row"), [("f.jsonl", {"at": A, "v": [{"w": 1}]}), ("f.json", {"start": A, "payload": {"v": [{"w": 1}]}})]
)
def test_a_row_with_a_list_in_it_stays_a_row(folder: Folder, file: str, row: dict[str, Any]) -> None:
    by = " EVENTTIME BY at" if "at" in row else ""
    query = folder.write("q.sql", f"SELECT STREAM v FROM s{by};")
    assert folder.run(query, {"s": folder.lines(file, [row])}).code == 0
    assert [each["payload"] for each in folder.read()] == [{"v": [{"w": 1}]}]


def test_a_column_without_a_name_is_named_as_such(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text(f",at,v\n0,{A},1\n")
    ran = folder.run(folder.write("q.sql", "SELECT STREAM v FROM s EVENTTIME BY at;"), {"s": str(tmp_path / "f.csv")})
    assert ran.code == 2
    assert "'': its name is not a valid field name" in ran.messages
    assert 'columns: {field: ""}' in ran.messages


def test_unusual_column_names_are_valid_yaml_and_become_different_fields(folder: Folder, tmp_path: Path) -> None:
    names = ['a "b"', "a\\b", "a-b", "a_b", "\u2028é", "\U0001f3b8"]
    cells = ['"' + name.replace('"', '""') + '"' for name in names]
    (tmp_path / "f.csv").write_text(f"at,{','.join(cells)}\n{A},1,2,3,4,5,6\n")
    ran = folder.run(folder.write("q.sql", "SELECT STREAM v FROM s EVENTTIME BY at;"), {"s": str(tmp_path / "f.csv")})
    assert ran.code == 2
    written = yaml_data("s:" + ran.messages.partition("\ns:")[2])["s"]
    assert written["columns"] == {
        "a__b_": names[0],
        "a_b_2": names[1],
        "a_b_3": names[2],
        "__": names[4],
        "_": names[5],
    }
    assert set(written["fields"]) == {"at", "a_b", *written["columns"]}
