"""The picture of a simulation: well-formed, without scripts, readable in light and dark and without colours."""

import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import StreamDefinition
from streaming.planning.validity import checked_graph
from streaming.simulator.recorded.record import record
from streaming.simulator.simulate import present, simulate
from streaming.transcripts.format import TranscriptRow
from streaming.wire.execution.case import Case, EndMode
from tests.reference.drawn.cases import KINDS, Scope, cases
from tests.simulator.picture import GRAPH, ROWS, STREAM, at
from tests.simulator.test_agreement import query_of
from webapp.client import SimulationResult
from webapp.client.library import timeline
from webapp.client.library.timeline import TimeScale, written_length, written_time

SVG = "{http://www.w3.org/2000/svg}"
some = settings(max_examples=max(3, settings.default.max_examples // 25))
HOSTILE = "</title><script>alert(1)</script>\"'&\x00\x1b]\ud800\ufffe"


def simulated(rows: Sequence[Mapping[str, Any]] = ROWS, end: EndMode = EndMode.FLUSH, **more: Any) -> SimulationResult:
    streams = {"s": StreamDefinition.model_validate({**STREAM, **more})}
    sample = [TranscriptRow.model_validate(row) for row in rows]
    found = simulate(QueryGraph.model_validate(GRAPH), streams, {}, sample, end)
    return SimulationResult.of({**found.model_dump(mode="json"), "answer": []}, {"out": {"n": "long"}})


def texts(svg: str) -> list[str]:
    """Return the texts of the picture, without tooltips."""
    root = ElementTree.fromstring(svg)
    return ["".join(_parts(each)) for each in root.iter(f"{SVG}text")]


def _parts(text: ElementTree.Element) -> list[str]:
    spans = [part for span in text.iter(f"{SVG}tspan") for part in (span.text or "", span.tail or "")]
    return [text.text or "", *spans]


class Tags(HTMLParser):
    """Collects the names of elements and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


def test_words_say_the_outcome_of_each_row() -> None:
    shown = texts(simulated()._repr_svg_())
    assert shown.count("in time") == 12
    for words in ("adjusted by 2 s", "dropped, late by 8 s", "1 k: a", "n: 6", "n: 7", "n: 3", "10:00:10"):
        assert words in shown
    assert "Input s, in order of arrival. Rows left of the thick line, the CTI, are late." in shown


def test_forms_distinguish_outcomes_without_colours() -> None:
    svg = simulated()._repr_svg_()
    assert svg.count("stroke-dasharray") == 2  # the adjusted row as it came, and the dropped one
    assert svg.count("l8 8m0 -8l-8 8") == 1  # the cross of the dropped one
    body = svg.partition("</style>")[2]
    assert not re.search(r"#[0-9a-f]{3}|rgb|hsl", body)
    assert "currentColor" in svg
    assert "prefers-color-scheme:dark" in svg
    assert "<style" not in simulated()._repr_html_()


def test_the_summary_counts_each_outcome_once() -> None:
    found = simulated()
    assert "<p>Rows: 14 (in time: 12, adjusted: 1, dropped: 1)</p>" in found._repr_html_()
    assert escape(" ".join(found.rows[9].why)) in found._repr_html_()


def test_texts_of_others_are_escaped_and_nothing_runs() -> None:
    rows = [
        *ROWS,
        {"stream": "s", "start": at(30), "end": at(31), "payload": {"k": HOSTILE}},
        {"stream": "s", "bad": "x"},
    ]
    found = simulated(rows, EndMode.NONE)
    html, tags = found._repr_html_(), Tags()
    tags.feed(html)
    assert tags.names <= {
        *("div", "p", "svg", "title", "text", "tspan", "path", "rect", "ul", "li", "details", "summary"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    assert not {name for name in tags.attributes if name.startswith("on") or name in {"href", "src"}}
    assert "&lt;script&gt;" in html
    assert {"\x00", "\x1b", "\ud800", "\ufffe"}.isdisjoint(html)
    html.encode()
    ElementTree.fromstring(found._repr_svg_())
    assert all(escape(holding) in html for holding in found.holding)
    assert found.holding


def test_rows_that_are_not_drawn_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MOST_DRAWN", 5)
    found = simulated()
    words = "The first 5 of 14 are drawn; `rows`, `results()` and `answer` have all of them."
    assert words in texts(found._repr_svg_())
    assert words in found._repr_html_()
    assert "6 k: a" not in texts(found._repr_svg_())
    assert len(found.rows) == 14


def test_a_long_text_is_cut_and_whole_in_its_tooltip() -> None:
    long = "日本" * 40
    svg = simulated([{**ROWS[0], "payload": {"k": long}}])._repr_svg_()
    [label] = [each for each in texts(svg) if each.startswith("1 k: ")]
    assert label.endswith("…")
    assert len(label) < 20
    assert f"1 k: {long}" in svg


def test_an_empty_sample_is_a_picture_too() -> None:
    assert simulated([])._repr_html_().startswith("<div><p>Rows: 0</p>")
    ElementTree.fromstring(simulated([])._repr_svg_())


@pytest.mark.parametrize("kind", KINDS)
def test_every_simulation_has_a_picture_and_frames(kind: str) -> None:
    @some
    @given(cases(kind, Scope(imports=True)))
    def holds(case: Case) -> None:
        query = query_of(case)
        answer = json.loads(present(record(query)).model_dump_json())
        schemas = checked_graph(query.graph, query.streams, query.settings).schemas
        types = {node: {name: str(of) for name, of in fields.items()} for node, fields in schemas.items()}
        found = SimulationResult.of(answer, types)
        assert sum(row.outcome is not None for row in found.rows) == sum(
            count for counts in found.outcomes.values() for count in counts.values()
        )
        assert all(row.category is not None for row in found.rows if row.outcome is not None)
        for output, rows in found.outputs.items():
            assert found.results(output).arrow().num_rows == len(rows)
        ElementTree.fromstring(found._repr_svg_())
        assert "<script" not in found._repr_html_()

    holds()


@pytest.mark.parametrize(
    ("ticks", "words"),
    [
        (1, "1 µs"),
        (1_500, "1.5 ms"),
        (2_081_990, "2.08199 s"),
        (90_000_000, "90 s"),
        (120_000_000, "2 min"),
        (7_200_000_000, "2 h"),
    ],
)
def test_a_length_has_all_its_digits(ticks: int, words: str) -> None:
    assert written_length(ticks) == words


def test_a_time_outside_the_calendar_is_its_tick() -> None:
    assert [written_time(each) for each in (None, 10**18, 1_500_000)] == ["infinity", f"tick {10**18}", "00:00:01.5"]


@pytest.mark.parametrize("instants", [[], [5], [0, 1], [0, 10**6], [-(10**15), 10**16], [0, 10**18]])
def test_an_axis_has_few_marks_inside_of_it(instants: list[int]) -> None:
    scale = TimeScale.of(instants)
    assert len(scale.marks()) <= 6
    assert all(scale.first <= mark <= scale.last for mark in scale.marks())
    assert all(timeline.LEFT <= scale.x(each) <= timeline.LEFT + timeline.PLOT for each in (*instants, None))
