"""A stream over a Delta table through the API: offered, proposed from the table's rows, stored and tried."""

from pathlib import Path
from typing import Any

from tests.adapters.delta.tables import Lake
from tests.webapp.conftest import Person

WHERE = {"kind": "delta", "options": {"path": "lake"}}


def lake_of(folder: Path, person: Person) -> Lake:
    return Lake(folder / str(person.organisation.pk))


def test_a_stream_is_proposed_from_a_table_stored_and_tried(alice: Person, tmp_path: Path) -> None:
    lake = lake_of(tmp_path, alice)
    lake.append(range(60), by=["k"])
    proposed = alice.post("streams/infer/", {"adapter": WHERE})
    assert proposed.status_code == 200, proposed.content
    fields = {each["name"]: each["type"] for each in proposed.json()["proposal"]["fields"]}
    assert fields == {"ts": "long", "n": "long", "k": "string"}
    start = {"column": "ts", "unit": "us"}
    definition = {"shape": "point", "fields": {"n": "long", "k": "string"}, "event_time": {"start": start}}
    made = alice.post("streams/", {"name": "lake", "definition": definition, "adapter": WHERE})
    assert made.status_code == 201, made.content
    sample = alice.get(f"streams/{made.json()['id']}/sample/").json()
    assert sample["faults"] == []
    assert sample["rows"][0]["payload"] in ({"n": 0, "k": "k0"}, {"n": 1, "k": "k1"})


def test_a_table_that_is_not_there_is_a_fault_with_a_sentence(alice: Person, charlie: Person, tmp_path: Path) -> None:
    lake_of(tmp_path, alice).append(range(3))
    for path in ("lake", f"../../{alice.organisation.pk}/files/lake"):
        refused: Any = charlie.post("streams/infer/", {"adapter": {"kind": "delta", "options": {"path": path}}})
        words = "There is no Delta table" if path == "lake" else "is outside the folder of this organisation"
        assert words in refused.content.decode()
