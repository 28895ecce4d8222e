"""Definitions as typed objects: exported, checked, planned and applied."""

from pathlib import Path
from typing import Any

import pytest

from tests.client.test_library import client  # noqa: F401 - a fixture
from tests.webapp.conftest import Person
from tests.webapp.queries.test_texts import TIMED, saved
from webapp.client import Client, DefinitionBundle, PlannedChange, PunctualError

FILE = "queries/speeding.sql"


@pytest.fixture
def bundle(client: Client, alice: Person, cars: dict[str, Any]) -> DefinitionBundle:  # noqa: F811
    saved(alice, TIMED)
    return client.export()


def test_an_export_is_written_read_and_planned_without_changes(
    client: Client,  # noqa: F811
    bundle: DefinitionBundle,
    tmp_path: Path,
) -> None:
    assert set(bundle.files) == {"streams/cars.yaml", FILE}
    assert bundle.write(tmp_path / "defs") == sorted(bundle.files)
    assert bundle.write(tmp_path / "defs") == []
    read = DefinitionBundle.read(tmp_path / "defs")
    planned = client.plan(read, prune=True)
    assert (read, planned.changes, planned.faults, planned.is_valid) == (bundle, [], [], True)
    assert planned.summary == {"create": 0, "update": 0, "delete": 0, "unchanged": 2}


def test_a_changed_file_is_overwritten_only_by_force(bundle: DefinitionBundle, tmp_path: Path) -> None:
    bundle.write(tmp_path)
    (tmp_path / FILE).write_text("mine")
    with pytest.raises(PunctualError, match=f"Nothing was exported: {FILE} would be overwritten"):
        bundle.write(tmp_path)
    assert bundle.write(tmp_path, force=True) == [FILE]


def test_a_plan_is_applied_once(client: Client, bundle: DefinitionBundle) -> None:  # noqa: F811
    changed = DefinitionBundle({**bundle.files, FILE: bundle.files[FILE].replace("> 120", "> 90")})
    planned, late = client.plan(changed), client.plan(changed)
    [change] = planned.changes
    assert (change.kind, change.name, change.action) == ("query", "speeding", "update")
    assert "+WHERE speed > 90" in change.diff
    assert planned.apply() == [change]
    assert client.query("speeding").version == 2
    with pytest.raises(PunctualError, match="changed"):
        late.apply()


def test_pruning_deletes_what_the_bundle_lacks(client: Client, bundle: DefinitionBundle) -> None:  # noqa: F811
    rest = DefinitionBundle({name: text for name, text in bundle.files.items() if name != FILE})
    assert client.plan(rest).changes == []
    [change] = client.plan(rest, prune=True).apply()
    assert (change.name, change.action) == ("speeding", "delete")
    assert client.queries() == []


def test_every_error_has_its_place_and_refuses_the_plan(client: Client, bundle: DefinitionBundle) -> None:  # noqa: F811
    wrong = DefinitionBundle({**bundle.files, FILE: bundle.files[FILE].replace("speed >", "sped >")})
    [fault] = client.validate(wrong)
    assert (fault.file, fault.severity, fault.line) == (
        FILE,
        "error",
        bundle.files[FILE][: bundle.files[FILE].index("WHERE")].count("\n") + 1,
    )
    assert str(fault).startswith(f"{FILE}:{fault.line}:{fault.column}: error {fault.code}: ")
    planned = client.plan(wrong)
    assert not planned.is_valid
    with pytest.raises(PunctualError, match="sped"):
        planned.apply()
    assert isinstance(planned.changes, list)
    assert all(isinstance(change, PlannedChange) for change in planned.changes)
