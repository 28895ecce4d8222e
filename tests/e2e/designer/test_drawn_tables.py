"""Random graphs, settings and rows, each opened as a link: the simulator's tables equal the reference."""

import base64
import json
import time
import zlib
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, settings
from hypothesis import strategies as st
from playwright.sync_api import Page, expect

from streaming.definition.sql.printing.graphs import print_sql
from streaming.planning.validity import checked_graph
from streaming.temporal.ticks import INFINITY, parse_instant
from streaming.wire.execution.case import Case
from streaming.wire.rows.payload_json import payload_to_json
from tests.e2e.designer.test_simulator import made
from tests.reference.drawn.cases import KINDS, NUMBERS, Scope, cases
from tests.simulator.test_agreement import query_of, stepped
from webapp.runs.demo import RUNNING

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

drawn = settings(
    max_examples=5,
    derandomize=True,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
"""For each kind of operator; more than a hundred in total."""
Result = tuple[str, int, int, str]
READ = """() => [...document.querySelectorAll(".sim-tables section[aria-label^='Output ']")].flatMap((section) =>
  [...section.querySelectorAll("tbody tr")].map((row) => {
    const [start, end, values] = row.cells;
    const at = (cell) => cell.querySelector("time")?.getAttribute("datetime") ?? cell.textContent;
    const words = values.querySelector("button").lastChild.textContent;
    return [section.getAttribute("aria-label").slice("Output ".length), at(start), at(end), words];
  }))"""


def link_of(state: Mapping[str, Any]) -> str:
    """The part of an address after its #, encoded as the page does."""
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(json.dumps(state).encode()) + packer.flush()
    return "simulation=" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def items(case: Case) -> list[Any]:
    """The rows in the form of transcripts, with a mark after each micro-batch."""
    found: list[Any] = []
    batch = 0
    for row in case.rows:
        found += ["batch"] * (row.batch - batch)
        batch = row.batch
        arrival = {} if row.arrival is None else {"arrival": row.arrival}
        found.append({"stream": row.stream, "lane": row.lane, **arrival, **row.fields})
    return found


def as_asked(case: Case) -> Case:
    """With imported CTIs and no marks, the page makes each row a micro-batch."""
    imports = any(stream.advance.import_from for stream in case.streams.values() if stream.advance)
    if not imports or any(row.batch for row in case.rows):
        return case
    return replace(case, rows=tuple(replace(row, batch=at) for at, row in enumerate(case.rows)))


def given_by_reference(case: Case) -> list[list[Result]]:
    """The net results of all outputs after each row, and after the end of the sample."""
    query = query_of(case)
    schemas = checked_graph(query.graph, query.streams, query.settings).schemas
    return [
        sorted(
            (
                row.output,
                row.flow.start,
                row.flow.end,
                ", ".join(
                    f"{name} = {format_value(value)}"
                    for name, value in payload_to_json(row.flow.payload, schemas[row.output]).items()
                ),
            )
            for row in run.outputs
        )
        for _, run in stepped(query)
    ]


def format_value(value: Any) -> str:
    """Format a value as tables do: doubles with all their digits, lists as JSON."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else format(Decimal(repr(value)), "f")
    if isinstance(value, list):
        return "[" + ",".join(json.dumps(each) if isinstance(each, str) else format_value(each) for each in value) + "]"
    return str(value)


def read_tables(page: Page, many: int) -> list[Result]:
    """Return the content of the output tables, once they have this many lines."""
    lines = page.locator(".sim-tables section[aria-label^='Output '] tbody tr")
    expect(lines).to_have_count(many)
    return sorted((output, tick(start), tick(end), words) for output, start, end, words in page.evaluate(READ))


def expect_tables(page: Page, expected: list[Result]) -> None:
    """Expect these lines in the output tables, which follow the slider a moment later."""
    until = time.monotonic() + 40
    while (found := read_tables(page, len(expected))) != expected and time.monotonic() < until:
        continue
    assert found == expected


def tick(text: str) -> int:
    return INFINITY if text == "infinity" else parse_instant(text)


class Pages:
    """A query page that opens all cases, and the streams with their definitions."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.goto("/")
        slug = page.request.get("/api/me/").json()["organisations"][0]["slug"]
        self.api = f"/api/t/{slug}"
        definition = {"shape": "point", "fields": {"k": "string"}}
        self.streams = {name: made(page, f"{self.api}/streams/", self.stream(name, definition)) for name in NUMBERS}
        self.address = f"/t/{slug}/queries/{next(one['id'] for one in self.listed() if one['name'] == RUNNING)}"

    def listed(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = self.page.request.get(f"{self.api}/queries/").json()
        return found

    def stream(self, name: str, definition: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "name": name,
            "definition": definition,
            "adapter": {"kind": "rows", "options": {"path": f"{name}.jsonl"}},
        }

    def open(self, case: Case) -> None:
        """Define the streams of the case, and open its text and rows as a link."""
        csrf = next(str(one["value"]) for one in self.page.context.cookies() if "csrftoken" in str(one["name"]))
        headers = {"X-CSRFToken": csrf, "Referer": self.page.url}
        for name, stream in case.streams.items():
            body = self.stream(name, stream.model_dump(mode="json", exclude_none=True, by_alias=True))
            address = f"{self.api}/streams/{self.streams[name]}/"
            answered = self.page.request.put(address, data=body, headers=headers)
            assert answered.ok, answered.text()
        state = {"text": print_sql(case.graph), "rows": items(case), "end": case.end.value, "tab": "table"}
        link = link_of({**state, "scrub": None, "selected": None})
        self.page.evaluate("localStorage.clear()")
        self.page.goto(f"{self.address}?drawn={zlib.crc32(link.encode())}#{link}")


def test_the_tables_of_random_graphs_equal_the_reference(page: Page) -> None:
    pages = Pages(page)
    for kind in KINDS:

        @drawn
        @given(cases(kind, Scope(imports=True)), st.data())
        def holds(case: Case, data: st.DataObject) -> None:
            assume(len(case.rows) > 1)
            note(f"{print_sql(case.graph)}{items(case)}")
            steps = given_by_reference(as_asked(case))
            pages.open(case)
            expect_tables(page, steps[-1])
            at = data.draw(st.integers(1, len(case.rows)))
            page.get_by_role("slider", name="Rows that have arrived").fill(str(at))
            expect_tables(page, steps[at - 1])

        holds()
