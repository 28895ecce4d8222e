"""The typed objects of the library have the fields of the API's description."""

import json
from dataclasses import fields
from typing import Any, get_args

import pytest

from streaming.definition.payload.type_text import parse_type
from streaming.definition.payload.types import SCALARS
from streaming.temporal.outcomes import Outcome
from tests.conftest import ROOT
from webapp.client import BundleFault, PlannedChange, RowOutcome, ScenarioRun, VerdictRow
from webapp.client.library.frames import ResultFrame
from webapp.client.library.samples import SampleEnd
from webapp.client.library.simulations import CATEGORIES, RowCategory

SCHEMAS: dict[str, Any] = json.loads((ROOT / "frontend" / "openapi.json").read_text())["components"]["schemas"]


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (RowOutcome, "SimulatedRow"),
        (VerdictRow, "ScenarioRow"),
        (PlannedChange, "DefinitionChange"),
        (BundleFault, "FileFault"),
    ],
)
def test_fields_are_those_of_the_description(kind: Any, schema: str) -> None:
    assert {each.name for each in fields(kind)} <= set(SCHEMAS[schema]["required"])


def test_a_verdict_has_every_field_of_the_findings() -> None:
    assert {each.name for each in fields(ScenarioRun)} - {"version"} == set(SCHEMAS["ScenarioFindings"]["properties"])


def test_every_outcome_and_every_end_is_known() -> None:
    assert set(CATEGORIES) == set(Outcome)
    assert set(CATEGORIES.values()) == set(get_args(RowCategory))
    assert set(get_args(SampleEnd)) == set(SCHEMAS["EndMode"]["enum"])


@pytest.mark.parametrize(
    "text", [*SCALARS, "decimal(38,4)", "array<array<decimal(5,0)>>", "struct<a: long, b: array<struct<c: timestamp>>>"]
)
def test_every_type_is_a_column(text: str) -> None:
    assert str(parse_type(text)) == text
    assert ResultFrame.of_rows({"x": text}, [{"x": None}, {}]).rows() == [{"x": None}, {"x": None}]
