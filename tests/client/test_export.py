"""`results export`: a whole file or none, with the choices of the API."""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.client.conftest import Punctual, Results
from webapp.client.server import ApiServer, FileTransfer


@pytest.fixture
def written(run: str, results: Results, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Five results of a run; the client works in an empty folder."""
    results.write(3, 2)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return run


def read(path: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(Path(path).read_text(), newline="")))


def numbers(path: str) -> list[int]:
    return [int(row["n"]) for row in read(path)]


def test_the_newest_run_of_a_binding_becomes_a_file_of_its_name(punctual: Punctual, written: str) -> None:
    ended = punctual("results", "export", "watch")
    assert (ended.code, ended.out[:30]) == (0, "Wrote watch.csv. Rows: 5. Byte")
    assert numbers("watch.csv") == [0, 1, 2, 3, 4]
    assert [path.name for path in Path().iterdir()] == ["watch.csv"]


def test_choices_are_those_of_the_api(punctual: Punctual, written: str) -> None:
    choices = ("--from", "1970-01-01T00:00:01Z", "--to", "1970-01-01T00:00:03", "--node", "out", "--revisions", "all")
    ended = punctual("results", "export", written, *choices, "--all-runs", "--file", "some.csv", "--json")
    size = Path("some.csv").stat().st_size
    assert ended.json == {"file": "some.csv", "rows": 2, "bytes": size, "run": written}
    assert numbers("some.csv") == [1, 2]
    assert {row["run"] for row in read("some.csv")} == {written}


def test_standard_output_has_only_the_rows(punctual: Punctual, written: str) -> None:
    ended = punctual("results", "export", "watch", "--format", "json_lines", "--file", "-")
    assert [json.loads(line)["n"] for line in ended.out.splitlines()] == [0, 1, 2, 3, 4]
    assert ended.err.startswith("Rows: 5. ")


def test_an_existing_file_stays_without_force(punctual: Punctual, written: str) -> None:
    Path("watch.csv").write_text("mine")
    ended = punctual("results", "export", "watch")
    assert (ended.code, Path("watch.csv").read_text()) == (1, "mine")
    assert "watch.csv exists already. Choose another name, or pass --force." in ended.err
    assert punctual("results", "export", "watch", "--force").code == 0
    assert numbers("watch.csv") == [0, 1, 2, 3, 4]


def test_a_refusal_is_a_sentence_and_no_file(punctual: Punctual, written: str) -> None:
    ended = punctual("results", "export", "watch", "--node", "x")
    assert ended.code == 1
    assert "These results have no output 'x'." in ended.err
    assert list(Path().iterdir()) == []
    assert punctual("results", "export", "watch", "--format", "xls").code == 2


def test_a_transfer_that_breaks_off_leaves_no_file(
    punctual: Punctual, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ApiServer.download

    def broken(pieces: Iterator[bytes]) -> Iterator[bytes]:
        yield next(pieces)[:5]
        raise httpx.RemoteProtocolError("peer closed connection")

    @contextmanager
    def breaking(self: ApiServer, path: str, **query: Any) -> Iterator[FileTransfer]:
        with whole(self, path, **query) as answer:
            yield FileTransfer(answer.headers, broken(answer.pieces))

    monkeypatch.setattr(ApiServer, "download", breaking)
    ended = punctual("results", "export", "watch")
    assert ended.code == 6
    assert "peer closed connection" in ended.err
    assert list(Path().iterdir()) == []
