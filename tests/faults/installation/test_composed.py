"""In a real installation one binding orders edges and another counts them: the same rows, whatever is killed."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streaming.spark.sink.committed_rows import committed_lines
from tests.faults.installation.kinds import processes_of
from tests.faults.installation.numbered import wait_until
from tests.faults.installation.site import Site

pytestmark = pytest.mark.thorough
BACK_S = 240.0
KILLED = ("runner", "JVM", "worker", "runner")
TICKS_A_FILE = 20
LIFE = 7
WINDOW = 10
EDGES: dict[str, Any] = {"shape": "edge", "fields": {"id": "long"}, "advance": {"late": "drop"}}


class EdgeWriter(threading.Thread):
    """Writes a file each second: at each tick an edge starts, that of `LIFE` ticks ago ends, and a CTI follows."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.folder, self.ticks, self.ended = folder, 0, threading.Event()
        folder.mkdir(parents=True)

    def run(self) -> None:
        while not self.ended.wait(1.0):
            lines: list[dict[str, Any]] = []
            for at in range(self.ticks, self.ticks + TICKS_A_FILE):
                lines.append({"edge": "start", "start": at, "payload": {"id": at}})
                start = at - LIFE
                if start >= 0:
                    lines.append({"edge": "end", "start": start, "end": at, "payload": {"id": start}})
                lines.append({"cti": at})
            part = self.folder / f"{self.ticks:09}.jsonl.part"
            part.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
            part.replace(part.with_suffix(""))
            self.ticks += TICKS_A_FILE

    def end(self) -> None:
        """Stop it, and return when it has stopped."""
        self.ended.set()
        self.join()


def alive_in(start: int) -> int:
    """Return how many edges live in the window from `start`: they start before its end and end after `start`."""
    return sum(1 for at in range(max(0, start - LIFE), start + WINDOW) if at + LIFE > start)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path / "var")
    try:
        found.sign_in()
        yield found
    finally:
        found.end()


def bound(site: Site, name: str, stream: dict[str, Any], *nodes: dict[str, Any]) -> str:
    """Create a stream, a query on it and a binding of the same name, and start it; return the binding's id."""
    site.call("POST", "streams/", {"name": name, "definition": EDGES, "adapter": stream})
    read: dict[str, Any] = {"kind": "input", "id": "read", "stream": name}
    graph = {"version": 1, "name": f"q_{name}", "nodes": [read, *nodes]}
    version = site.call("POST", "queries/", {"graph": graph, "comment": ""})["current"]["id"]
    binding = site.call("POST", "bindings/", {"name": name, "query_version": version})["id"]
    site.call("POST", f"bindings/{binding}/start/")
    return str(binding)


def test_counts_of_ordered_edges_are_correct_whatever_is_killed(site: Site) -> None:
    own = site.var / site.organisation
    writer = EdgeWriter(own / "files" / "edges")
    writer.start()
    files = {"kind": "file", "options": {"path": "edges", "follow": True, "format": "json_lines"}}
    ordered: dict[str, Any] = {"kind": "order_edges", "id": "ordered", "input": "read"}
    first = bound(site, "edges", files, ordered, {"kind": "output", "id": "out", "input": "ordered"})
    window = {"kind": "tumbling", "size": f"{WINDOW}us"}
    aggregates = [{"name": "n", "function": "count"}]
    count = {"kind": "window", "id": "counted", "input": "read", "window": window, "aggregates": aggregates}
    results = {"kind": "binding", "options": {"binding": first, "output": "out"}}
    second = bound(site, "counts", results, count, {"kind": "output", "id": "out", "input": "counted"})

    def rows() -> list[dict[str, Any]]:
        return list(committed_lines(own / "results" / second, "results"))

    wait_until(lambda: len(rows()) > 0, BACK_S, "the first count")
    for kind in KILLED:
        before = len(rows())
        processes_of(site.var, kind)[0].kill()
        took = wait_until(lambda: len(rows()) > before, BACK_S, f"a count after a killed {kind}")  # noqa: B023
        print(f"{kind}: counts continue after {took:.0f} s", flush=True)
    writer.end()
    final = (writer.ticks - 1) // WINDOW  # windows that end at or before the last CTI
    wait_until(lambda: len(rows()) >= final, BACK_S, "all counts")
    for binding in (second, first):
        site.call("POST", f"bindings/{binding}/stop/", {"flush": False})
    found = {row["start"]: row["payload"]["n"] for row in rows()}
    assert len(rows()) == len(found) == final, "a window was lost or counted twice"
    assert found == {start: alive_in(start) for start in range(0, final * WINDOW, WINDOW)}
    print(f"{final:,} windows of {writer.ticks:,} edges are correct")
