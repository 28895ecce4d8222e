"""Inputs that are much larger than they look, over the API: a sentence, and the web process stays small."""

import gzip
import resource
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.webapp.conftest import POINTS, Person
from webapp.streams.checking import MOST_LANES

GROWTH_KIB = 150_000
"""Return the largest size of the web process so far."""


def sample(person: Person, folder: Path, name: str) -> dict[str, Any]:
    """The sample of the file `name`, which was put into `folder`."""
    definition = {**POINTS, "fields": {"k": "string"}, "event_time": {"start": {"column": "at", "unit": "us"}}}
    adapter = {"kind": "file", "options": {"path": name}}
    made = person.post("streams/", {"name": "bomb", "definition": definition, "adapter": adapter})
    assert made.status_code == 201, made.content
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answered = person.get(f"streams/{made.json()['id']}/sample/")
    assert answered.status_code == 200
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < GROWTH_KIB
    found: dict[str, Any] = answered.json()
    return found


@pytest.fixture
def folder(alice: Person, tmp_path: Path) -> Path:
    """Return the folder that adapters of alice's organisation read."""
    made = tmp_path / str(alice.organisation.pk) / "files"
    made.mkdir(parents=True)
    return made


def test_a_million_rows_of_one_long_text_are_sampled_without_being_read(alice: Person, folder: Path) -> None:
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int32()), pa.array(["x" * 10_240]))
    pq.write_table(pa.table({"at": pa.array([1] * 1_000_000), "k": texts}), folder / "a.parquet", compression="zstd")
    assert (folder / "a.parquet").stat().st_size < 50_000
    found = sample(alice, folder, "a.parquet")
    assert (len(found["rows"]), found["faults"]) == (100, [])


def test_rows_that_are_larger_than_memory_are_a_sentence(alice: Person, folder: Path) -> None:
    table = pa.table({"at": pa.array([1] * 9), "k": ["x" * (64 << 20)] * 9})
    pq.write_table(table, folder / "a.parquet", compression="zstd", use_dictionary=False)
    del table
    [fault] = sample(alice, folder, "a.parquet")["faults"]
    assert fault["message"].startswith("Reading the first rows takes more than 512 MiB of memory")


def test_a_row_that_is_too_large_is_a_bad_row_and_the_others_are_read(alice: Person, folder: Path) -> None:
    with gzip.open(folder / "a.jsonl.gz", "wb", compresslevel=1) as file:
        file.write(b'{"at": 1, "k": "a"}\n{"at": 2, "k": "' + b"x" * (40 << 20) + b'"}\n{"at": 3, "k": "b"}\n')
    found = sample(alice, folder, "a.jsonl.gz")
    assert [(each["kind"], each["reason"]) for each in found["rows"]] == [
        ("event", None),
        ("malformed", "bad_row"),
        ("event", None),
    ]
    assert found["rows"][1]["raw"].endswith("... (longer than 1048576 bytes)")


def test_a_stream_has_a_thousand_lanes_at_most(alice: Person, cars: dict[str, Any]) -> None:
    lanes = [str(number) for number in range(MOST_LANES + 1)]
    body = {"name": "wide", "definition": {**POINTS, "lanes": lanes}, "adapter": cars["adapter"]}
    [fault] = alice.post("streams/", body).json()["faults"]
    assert (fault["field"], fault["message"]) == (
        "definition.lanes",
        "The stream has 1,001 lanes; at most 1,000 are read.",
    )
    body["definition"] = {**POINTS, "lanes": lanes[1:]}
    assert alice.post("streams/", body).status_code == 201
