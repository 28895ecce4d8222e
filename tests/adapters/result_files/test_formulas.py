"""CSV for spreadsheets: optionally a computed text is shown as text; nothing else ever changes."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import DeliveryBatch
from streaming.adapters.registry import delivering_adapter

FIELDS = {"settings": "string", "n": "long", "price": "decimal(10, 2)", "tags": "array<string>"}
FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＠x"]  # noqa: RUF001 - the wide forms are meant
OTHERS = ["", "a=b", " =1", "'=1", "x-1", "1", "#", "a\n=b"]


def cells(folder: Path, texts: list[str | None], **options: Any) -> list[dict[str, str]]:
    rows = [
        {
            "output": "out",
            "start": 0,
            "end": 1,
            "payload": {"settings": text, "n": -1, "price": "-1.50", "tags": ["=1"]},
        }
        for text in texts
    ]
    settings = {"path": "out", "format": "csv", "by_day": False, **options}
    adapter = delivering_adapter("file", settings, "one", FIELDS, folder)
    adapter.deliver([DeliveryBatch(1, rows, None)])  # type: ignore[union-attr]
    [path] = (folder / "out").glob("0*.csv")
    return list(csv.DictReader(io.StringIO(path.read_bytes().decode(), newline="")))


def test_texts_stay_unchanged_by_default(tmp_path: Path) -> None:
    found = cells(tmp_path, [*FORMULAS, *OTHERS])
    assert [row["settings"] for row in found] == [*FORMULAS, *OTHERS]


def test_optionally_a_formula_is_a_text_and_nothing_else_changes(tmp_path: Path) -> None:
    found = cells(tmp_path, [*FORMULAS, *OTHERS, None], formulas="text")
    assert [row["settings"] for row in found] == [*(f"'{each}" for each in FORMULAS), *OTHERS, ""]
    assert {(row["n"], row["price"], row["tags"]) for row in found} == {("-1", "-1.50", '["=1"]')}


@pytest.mark.parametrize("form", ["json_lines", "parquet"])
def test_other_formats_hold_the_texts_unchanged(tmp_path: Path, form: str) -> None:
    row = {"output": "out", "start": 0, "end": 1, "payload": {"settings": "=1", "n": 1, "price": "1.00", "tags": []}}
    for options in ({}, {"formulas": "text"}):
        settings = {"path": f"out{len(options)}", "format": form, "by_day": False, **options}
        delivering_adapter("file", settings, "one", FIELDS, tmp_path).deliver(  # type: ignore[union-attr]
            [DeliveryBatch(1, [row], None)]
        )
    first, second = (next((tmp_path / name).glob("0*")) for name in ("out0", "out1"))
    assert first.read_bytes() == second.read_bytes()
