"""Kinds of installed packages: used like the project's own, and harmless when they are broken."""

from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from streaming.adapters.contract import AdapterError
from streaming.adapters.installed import GROUP, installed_kinds, kinds_of
from streaming.adapters.preview import sample
from streaming.adapters.registry import adapter_kind, input_adapter, kinds, sends_ctis
from streaming.definition.streams.stream import StreamDefinition
from streaming.temporal.events import Cti
from tests.adapters.installing import ticker_installed
from tests.conftest import ROOT

TICKS = StreamDefinition.model_validate_json('{"shape": "point", "fields": {"n": "long"}}')


@pytest.fixture
def ticker(tmp_path: Path) -> Iterator[None]:
    with ticker_installed(tmp_path / "package"):
        yield


def test_each_folder_of_an_adapter_has_its_kind() -> None:
    folders = {path.parent.name for path in (ROOT / "streaming" / "adapters").glob("*/kind.py")}
    found = installed_kinds()
    assert {each.removesuffix("_output") for each in folders} == {*found.inputs, *found.outputs}
    assert {each.removesuffix("_output") for each in folders if each.endswith("_output")} <= {*found.outputs}


def test_the_menus_begin_with_the_most_common_kinds() -> None:
    assert [kind.kind for kind in kinds()][:6] == [
        *("file", "generator", "kafka", "postgresql", "postgresql_changes", "push"),
    ]
    assert [*installed_kinds().outputs][:3] == ["file", "kafka", "postgresql"]


@pytest.mark.usefixtures("ticker")
def test_a_kind_of_a_package_comes_after_the_projects_own() -> None:
    assert [kind.kind for kind in kinds()][-1] == "ticker"
    assert sends_ctis("ticker")
    assert adapter_kind("ticker").json_schema()["properties"]["up_to"]["title"] == "Up to"


@pytest.mark.usefixtures("ticker")
def test_its_rows_and_ctis_are_read(tmp_path: Path) -> None:
    rows = sample(input_adapter("ticker", {"up_to": 20}, TICKS, tmp_path), 99, now=0)
    assert [row.element.at for row in rows if isinstance(row.element, Cti)] == [9_000_000, 19_000_000]
    assert [row.position for row in rows] == list(range(22))


@pytest.mark.usefixtures("ticker")
def test_its_options_are_validated_by_their_model(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="up_to"):
        input_adapter("ticker", {"up_to": 0}, TICKS, tmp_path)


def entry(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, GROUP)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("gone", "no_such_package:KIND", r"can't be loaded \(ModuleNotFoundError"),
        ("odd", "streaming.adapters.kinds:InputKind", "neither an InputKind nor an OutputKind"),
        ("files", "streaming.adapters.file.kind:KIND", "its kind 'file'; both need the same name"),
        ("file", "streaming.adapters.file.kind:KIND", "an adapter 'file' already exists"),
    ],
)
def test_a_broken_package_affects_no_other_kind(name: str, value: str, why: str) -> None:
    own = [*installed_kinds().inputs.values(), *installed_kinds().outputs.values()]
    found = kinds_of(own, [entry(name, value)])
    assert list(found.inputs) == list(installed_kinds().inputs)
    assert why.replace("\\", "") in found.broken[name]


def test_using_a_broken_kind_reports_the_problem_of_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    found = kinds_of(list(installed_kinds().inputs.values()), [entry("gone", "no_such_package:KIND")])
    monkeypatch.setattr("streaming.adapters.registry.installed_kinds", lambda: found)
    with pytest.raises(AdapterError, match="'gone' comes from a package that can't be used: it can't be loaded"):
        adapter_kind("gone")
