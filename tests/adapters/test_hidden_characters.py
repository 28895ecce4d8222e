"""File names that look like others are refused wherever a person names a file, a folder or a prefix."""

from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.registry import delivering_adapter, input_adapter
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Shape

HIDDEN = ["rows\u202egpj.csv", "rows\u2028.csv", "rows\u2029.csv", "a\u2066b/rows.csv", "rows\u200f.csv", "rows\n.csv"]
STREAM = StreamDefinition(shape=Shape.POINT, fields={"n": "long"})


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize("kind", ["file", "delta"])
def test_an_input_does_not_read_it(tmp_path: Path, kind: str, name: str) -> None:
    with pytest.raises(AdapterError, match=r"contains the character U\+[0-9A-F]{4}, which is invisible"):
        input_adapter(kind, {"path": name}, STREAM, tmp_path)


@pytest.mark.parametrize("name", HIDDEN)
@pytest.mark.parametrize("kind", ["file", "delta"])
def test_an_output_does_not_write_it(tmp_path: Path, kind: str, name: str) -> None:
    with pytest.raises(AdapterError, match=r"U\+"):
        delivering_adapter(kind, {"path": name}, "one", {"n": "long"}, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", HIDDEN)
def test_a_bucket_gets_no_such_key(tmp_path: Path, name: str) -> None:
    options: dict[str, Any] = {"bucket": "results", "prefix": name, "region": "eu-central-1"}
    with pytest.raises(AdapterError, match="control characters"):
        delivering_adapter("s3", options, "one", {"n": "long"}, tmp_path)


@pytest.mark.parametrize("name", ["Zürich 2026.csv", "измерения.csv", "données/été.csv", "日本.csv"])
def test_names_in_all_languages_are_accepted(tmp_path: Path, name: str) -> None:
    delivering_adapter("file", {"path": name}, "one", {"n": "long"}, tmp_path)
