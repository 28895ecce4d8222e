"""The tables of the language cover everything in a graph and its settings, with the same words."""

import re
from enum import EnumMeta
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from streaming.definition import forms
from streaming.definition.graph import Emit, Empty, Node, OutputTimestamp
from streaming.definition.sql.grammar.browser import FILE, browser_words, word_pages
from streaming.definition.sql.grammar.clauses import EMIT, EMPTY, JOINS, OPERATORS, TIMESTAMP, UNIT
from streaming.definition.sql.grammar.rows import ArgumentKind, ArgumentRow, WindowRow, value_of
from streaming.definition.sql.grammar.settings import SETTINGS
from streaming.definition.sql.grammar.windows import WINDOWS
from streaming.definition.streams.stream import AdvanceTimeSettings, GenerateSettings, TimeUnit
from streaming.definition.windows import WindowSpec
from streaming.temporal.settings import Basis, Future, Idle, Late, LateEnd
from tests.definition.sql.reading.read import nodes

KINDS: dict[str, type[BaseModel]] = {
    get_args(each.model_fields["kind"].annotation)[0]: each for each in get_args(get_args(WindowSpec)[0])
}
NODES = {get_args(each.model_fields["kind"].annotation)[0] for each in get_args(get_args(Node)[0])}


def choices(argument: ArgumentRow) -> set[str]:
    return {value_of(each) for each in argument.choices}


def test_every_kind_of_window_has_a_row_with_all_its_fields() -> None:
    rows = {form.kind: {each.field for each in (*form.arguments, *form.options)} for form in WINDOWS}
    assert rows == {kind: set(model.model_fields) - {"kind"} for kind, model in KINDS.items()}


def test_arguments_of_a_window_without_a_default_are_required() -> None:
    for form in WINDOWS:
        required = [name for name, each in KINDS[form.kind].model_fields.items() if each.is_required()]
        assert [each.field for each in form.arguments[: form.least]] == required[1:]


@pytest.mark.parametrize("form", WINDOWS, ids=lambda form: form.kind)
def test_the_example_of_a_window_has_its_fields(form: WindowRow) -> None:
    (read,) = (each for each in nodes(f"SELECT COUNT(*) AS n FROM cars WINDOW BY {form.example}") if "window" in each)
    assert read["window"] == {"kind": form.kind, **form.example_fields}


@pytest.mark.parametrize("form", WINDOWS, ids=lambda form: form.kind)
def test_a_drawing_shows_every_field_of_a_window(form: WindowRow) -> None:
    required, further = form.arguments[: form.least], (*form.arguments[form.least :], *form.options)
    assert re.findall(r"{(\w+)}", form.summary) == [each.field for each in required]
    assert [re.findall(r"{(\w+)}", each.summary) for each in further] == [[each.field] for each in further]


def test_every_setting_of_time_has_a_row() -> None:
    named = {row.field for row in SETTINGS}
    generate = {f"generate.{name}" for name in GenerateSettings.model_fields}
    assert named == (set(AdvanceTimeSettings.model_fields) - {"generate"}) | generate


@pytest.mark.parametrize(
    ("field", "values"),
    [("late", Late), ("late_end", LateEnd), ("generate.basis", Basis), ("idle", Idle), ("future", Future)],
)
def test_the_choices_of_a_setting_are_its_values(field: str, values: EnumMeta) -> None:
    (row,) = (row for row in SETTINGS if row.field == field)
    assert row.takes is ArgumentKind.CHOICE
    assert choices(row) == {str(each) for each in values}


def test_the_choices_of_clauses_are_the_values_of_the_graph() -> None:
    assert choices(EMIT) == set(get_args(Emit))
    assert choices(EMPTY) == set(get_args(Empty))
    assert choices(TIMESTAMP) == set(get_args(OutputTimestamp))
    assert choices(UNIT) == set(get_args(TimeUnit))


def test_joins_and_operators_make_nodes_that_exist() -> None:
    assert {form.kind for form in (*JOINS, *OPERATORS)} <= NODES
    assert {form.kind for form in JOINS} == {kind for kind in NODES if kind.endswith("join")}


def test_the_browser_has_the_fields_of_every_node() -> None:
    stored = forms.FILE.read_text(encoding="utf-8")
    assert stored == forms.node_forms(), f"{forms.FILE} is old: run `python -m streaming.definition.forms`"


def test_the_browser_has_the_words_of_the_language() -> None:
    stored = (Path(__file__).parents[3] / FILE).read_text()
    assert stored == browser_words(), f"{FILE} is old: run `python -m streaming.definition.sql.grammar.browser`"


def test_words_link_to_pages_of_the_guide() -> None:
    written = {path.stem for path in (Path(__file__).parents[3] / "streaming/guide/pages").glob("*.md")}
    assert set(word_pages().values()) <= written
    assert {f"window_{form.kind}" for form in WINDOWS} <= set(word_pages().values())
