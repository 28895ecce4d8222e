"""Real-world files and their rows, by hand: the table of `test_written_files`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = tuple[str, Mapping[str, Any]]
"""The start in ISO 8601, and the payload."""


@dataclass(frozen=True)
class WrittenFile:
    """A file, its rows, and the relevant part of its proposal. `reads`: the chosen pattern of two."""

    file: str
    content: bytes
    rows: Sequence[Row]
    options: Mapping[str, Any] = field(default_factory=dict)
    start: Mapping[str, Any] = field(default_factory=dict)
    reads: str | None = None


def text(content: str, encoding: str = "utf-8") -> bytes:
    return content.encode(encoding)


def _timed(texts: Sequence[str], starts: Sequence[str], **start: Any) -> WrittenFile:
    """A file with times in this form, and a number next to each."""
    content = "at;v\n" + "".join(f"{each};{number}\n" for number, each in enumerate(texts))
    rows = [(each, {"v": number}) for number, each in enumerate(starts)]
    reads = start.pop("reads", None)
    return WrittenFile("f.csv", text(content), rows, {"delimiter": ";"}, {"column": "at", **start}, reads)


TEN = "2024-03-05T10:00:00Z"
TIMES: Mapping[str, WrittenFile] = {
    "day_first": _timed(
        ["05.03.2024 10:00", "13.03.2024 24:00", "14.03.2024 23:59"],
        [TEN, "2024-03-14T00:00:00Z", "2024-03-14T23:59:00Z"],
        unit="pattern",
        pattern="dd.MM.yyyy HH:mm",
    ),
    "day_first_with_seconds": _timed(
        ["31.12.2023 23:59:60", "05.03.2024 10:00:00", "5.3.2024 9:00"],
        ["2024-01-01T00:00:00Z", TEN, "2024-03-05T09:00:00Z"],
        unit="pattern",
        pattern="d.M.yyyy H:mm[:ss]",
    ),
    "month_first_of_half_days": _timed(
        ["3/13/2024 12:05 AM", "3/5/2024 10:00 AM", "3/5/2024 12:00 PM"],
        ["2024-03-13T00:05:00Z", TEN, "2024-03-05T12:00:00Z"],
        unit="pattern",
        pattern="M/d/yyyy h:mm a",
    ),
    "slashes": _timed(
        ["2024/03/05 10:00:00", "2024/03/06 11:00:00"],
        [TEN, "2024-03-06T11:00:00Z"],
        unit="pattern",
        pattern="yyyy/MM/dd HH:mm:ss",
    ),
    "compact_days": _timed(
        ["20240305", "20240306"],
        ["2024-03-05T00:00:00Z", "2024-03-06T00:00:00Z"],
        unit="pattern",
        pattern="yyyyMMdd",
    ),
    "compact": _timed(
        ["20240305100000", "20240305100001"],
        [TEN, "2024-03-05T10:00:01Z"],
        unit="pattern",
        pattern="yyyyMMddHHmmss",
    ),
    "names_of_zones": _timed(
        ["2024-03-05 10:00:00 UTC", "2024-03-05 11:00:00 CET", "2024-07-05 12:00:00 Europe/Berlin"],
        [TEN, TEN, "2024-07-05T10:00:00Z"],
    ),
    "names_of_zones_by_pattern": _timed(
        ["15.03.2024 11:00 CET", "15.07.2024 12:00 Europe/Berlin"],
        ["2024-03-15T10:00:00Z", "2024-07-15T10:00:00Z"],
        unit="pattern",
        pattern="dd.MM.yyyy HH:mm z",
    ),
    "midnight_and_leap_second": _timed(
        ["2016-12-31T23:59:60Z", "2017-01-01T24:00:00Z"], ["2017-01-01T00:00:00Z", "2017-01-02T00:00:00Z"]
    ),
    "serials_of_a_spreadsheet": _timed(
        ["45356.4166666667", "45356.5", "45357"],
        [TEN, "2024-03-05T12:00:00Z", "2024-03-06T00:00:00Z"],
        unit="excel",
    ),
    "log_of_a_server": _timed(
        ["05/Mar/2024:11:00:00 +0100", "05/Mar/2024:10:00:01 +0000"],
        [TEN, "2024-03-05T10:00:01Z"],
        unit="pattern",
        pattern="dd/MMM/yyyy:HH:mm:ss X",
    ),
    "day_or_month_first": _timed(
        ["04/03/2024 10:00", "05/03/2024 10:00"],
        ["2024-03-04T10:00:00Z", TEN],
        unit="pattern",
        pattern="dd/MM/yyyy HH:mm",
        reads="dd/MM/yyyy HH:mm",
    ),
    "month_or_day_first": _timed(
        ["04/03/2024 10:00", "05/03/2024 10:00"],
        ["2024-04-03T10:00:00Z", "2024-05-03T10:00:00Z"],
        unit="pattern",
        pattern="MM/dd/yyyy HH:mm",
        reads="MM/dd/yyyy HH:mm",
    ),
    "two_columns": WrittenFile(
        "f.csv",
        b"Date,Time,v\n2024-03-05,10:00:00,0\n2024-03-05,10:00:01,1\n",
        [(TEN, {"v": 0}), ("2024-03-05T10:00:01Z", {"v": 1})],
        start={"column": "Date", "time_column": "Time"},
    ),
    "two_columns_by_pattern": WrittenFile(
        "f.csv",
        b"Date,Time,v\n15.03.2024,9:00 AM,0\n15.03.2024,10:00 PM,1\n",
        [("2024-03-15T09:00:00Z", {"v": 0}), ("2024-03-15T22:00:00Z", {"v": 1})],
        start={"column": "Date", "time_column": "Time", "unit": "pattern", "pattern": "d.M.yyyy h:mm a"},
    ),
    "two_columns_without_marks": WrittenFile(
        "f.csv",
        b"date,time,v\n20240305,095800,0\n20240315,220000,1\n",
        [("2024-03-05T09:58:00Z", {"v": 0}), ("2024-03-15T22:00:00Z", {"v": 1})],
        start={"column": "date", "time_column": "time", "unit": "pattern", "pattern": "yyyyMMdd HHmmss"},
    ),
}


def _dialect(content: bytes, rows: Sequence[Row], **options: Any) -> WrittenFile:
    return WrittenFile(options.pop("file", "f.csv"), content, rows, options)


def _two(first: Mapping[str, Any], second: Mapping[str, Any]) -> Sequence[Row]:
    return [(TEN, first), ("2024-03-05T10:00:10Z", second)]


GERMAN = "Fahrräder € müssen draußen stehen"
A, B = "2024-03-05T10:00:00Z", "2024-03-05T10:00:10Z"
DIALECTS: Mapping[str, WrittenFile] = {
    "no_names": _dialect(
        text(f"{A},s0,0\n{B},s1,1\n"),
        _two({"column_2": "s0", "column_3": 0}, {"column_2": "s1", "column_3": 1}),
        dialect={"column_names": ["column_1", "column_2", "column_3"]},
    ),
    "lines_before_the_names": _dialect(
        text(f'exported by "Logger"\nunit: kPa\n\nat,v\n{A},0\n{B},1\n'),
        _two({"v": 0}, {"v": 1}),
        dialect={"skip_lines": 3},
    ),
    "comments_between_rows": _dialect(
        text(f'at,k,v\n{A},"a,b",0\n# a "break, and on\n{B},"c",1\n'),
        _two({"k": "a,b", "v": 0}, {"k": "c", "v": 1}),
        dialect={"comment": "#"},
    ),
    "ragged": _dialect(
        text(f"at,a,b\n{A},0\n{B},1,1,\n{B},2\n{B},3,,,\n"),
        [*_two({"a": 0, "b": None}, {"a": 1, "b": 1}), (B, {"a": 2, "b": None}), (B, {"a": 3, "b": None})],
        dialect={"ragged": "fill"},
    ),
    "backslashes": _dialect(
        text(f'at,k,v\n{A},"say \\"hi, you\\"",0\n{B},"a \\\\ b",1\n'),
        _two({"k": 'say "hi, you"', "v": 0}, {"k": "a \\ b", "v": 1}),
        dialect={"escape": "backslash"},
    ),
    "nulls": _dialect(text(f"at,v\n{A},NA\n{B},1\n"), _two({"v": None}, {"v": 1}), dialect={"null_values": ["NA"]}),
    "separator_line": _dialect(
        text(f"sep=;\nat;v\n{A};0\n{B};1\n"), _two({"v": 0}, {"v": 1}), delimiter=";", dialect={"skip_lines": 1}
    ),
    "returns_alone": _dialect(text(f"at,v\r{A},0\r{B},1\r"), _two({"v": 0}, {"v": 1}), dialect={"line_end": "cr"}),
    "a_delimiter_beside_commas": _dialect(
        text(f'at;k;v\n{A};"a,b,c";0,5\n{B};"d,e,f";1,5\n'),
        _two({"k": "a,b,c", "v": 0.5}, {"k": "d,e,f", "v": 1.5}),
        delimiter=";",
        dialect={"decimal": ","},
    ),
    "decimal_commas_and_thousands": _dialect(
        text(f"at;v\n{A};1.234,5\n{B};-12.345.678,25\n"),
        _two({"v": 1234.5}, {"v": -12345678.25}),
        delimiter=";",
        dialect={"decimal": ",", "thousands": "."},
    ),
    "thousands_commas": _dialect(
        text(f'at,v\n{A},"1,234.5"\n{B},"12,345,678"\n'),
        _two({"v": 1234.5}, {"v": 12345678.0}),
        dialect={"thousands": ","},
    ),
    "thousands_blanks_that_do_not_break": _dialect(
        text(f"at;v\n{A};1\u00a0234,5\n{B};12\u202f345\u202f678,25\n"),
        _two({"v": 1234.5}, {"v": 12345678.25}),
        delimiter=";",
        dialect={"decimal": ",", "thousands": "space"},
    ),
    "utf_16": _dialect(
        text(f"at,k\n{A},Zürich\n{B},Łódź\n", "utf-16"),
        _two({"k": "Zürich"}, {"k": "Łódź"}),
        dialect={"encoding": "utf-16"},
    ),
    "latin_1": _dialect(
        text(f"at,k\n{A},Zürich\n{B},Genève\n", "latin-1"),
        _two({"k": "Zürich"}, {"k": "Genève"}),
        dialect={"encoding": "latin-1"},
    ),
    "cp1252": _dialect(
        text(f"at,k\n{A},5 € für\n{B},„so“\n", "cp1252"),
        _two({"k": "5 € für"}, {"k": "„so“"}),
        dialect={"encoding": "cp1252"},
    ),
    "cp1252_that_others_read_as_well": _dialect(
        text(f"at,k\n{A},{GERMAN}\n{B},{GERMAN}\n", "cp1252"),
        _two({"k": GERMAN}, {"k": GERMAN}),
        dialect={"encoding": "cp1252"},
    ),
    "byte_order_mark": _dialect(text(f"at,v\n{A},0\n{B},1\n", "utf-8-sig"), _two({"v": 0}, {"v": 1})),
    "json_list": _dialect(
        json.dumps([{"at": A, "v": 0}, {"at": B, "v": 1}], indent=1).encode(),
        _two({"v": 0}, {"v": 1}),
        file="f.json",
        format="json",
    ),
    "geojson": _dialect(
        json.dumps(
            {
                "type": "FeatureCollection",
                "metadata": {"count": 2},
                "features": [
                    {"type": "Feature", "properties": {"time": 1_709_632_800_000, "mag": 1.5}},
                    {"type": "Feature", "properties": {"time": 1_709_632_810_000, "mag": 2.5}},
                ],
            }
        ).encode(),
        _two(
            {"type": "Feature", "properties": {"time": 1_709_632_800_000, "mag": 1.5}},
            {"type": "Feature", "properties": {"time": 1_709_632_810_000, "mag": 2.5}},
        ),
        file="f.json",
        format="json",
        dialect={"records": "features"},
    ),
    "cloudtrail": _dialect(
        json.dumps({"Records": [{"eventTime": A, "eventName": "Get"}, {"eventTime": B, "eventName": "Put"}]}).encode(),
        _two({"eventName": "Get"}, {"eventName": "Put"}),
        file="f.json",
        format="json",
        dialect={"records": "Records"},
    ),
    "json_lines_with_a_mark": _dialect(
        b"\xef\xbb\xbf" + text(f'{{"at": "{A}", "v": 0}}\n{{"at": "{B}", "v": 1}}\n'),
        _two({"v": 0}, {"v": 1}),
        file="f.jsonl",
    ),
}
WRITTEN: Mapping[str, WrittenFile] = {**TIMES, **DIALECTS}
