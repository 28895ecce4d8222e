"""One organisation with three numbered inputs (files, pushes, Kafka) and three outputs for each of them."""

import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import psycopg
from psycopg.conninfo import conninfo_to_dict

from tests.adapters.kafka_output.test_delivering import seen
from tests.faults.installation.site import Site
from tests.faults.two_tenants.feeds import FileFeed, KafkaFeed, NumberedFeed, PushFeed
from tests.kafka_broker import KafkaBroker
from tests.postgresql import PostgreSQL

KINDS: Final = ("filed", "pushed", "queued")
PARTITIONS: Final = 2
DEFINITION: Final[dict[str, Any]] = {
    "shape": "point",
    "fields": {"id": "long", "note": "string"},
    "event_time": {"start": {"column": "at", "unit": "us"}},
    "advance": {"generate": {"every": 1, "delay": "0s"}, "late": "drop"},
}


@dataclass(frozen=True)
class Servers:
    """Where both organisations send their results."""

    postgresql: PostgreSQL
    kafka: KafkaBroker


@dataclass
class Tenant:
    """An organisation, reached with an owner's token. `id`: its folder's name; `feeds` by KINDS."""

    site: Site
    servers: Servers
    slug: str
    id: str
    token: str
    bindings: dict[str, str] = field(default_factory=dict)
    streams: dict[str, str] = field(default_factory=dict)
    queries: dict[str, str] = field(default_factory=dict)
    topics: dict[str, str] = field(default_factory=dict)
    feeds: dict[str, NumberedFeed] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pages = httpx.Client(
            base_url=f"http://127.0.0.1:{self.site.env['PORT']}/api/t/{self.slug}/",
            headers={"Authorization": f"Bearer {self.token}"},
            timeout=20,
        )
        self.files = self.site.var / self.id / "files"

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Return the API's answer. Raises HTTPError."""
        answered = self.pages.request(method, path, json=body)
        if answered.is_error:
            raise httpx.HTTPStatusError(
                f"{method} {path}: {answered.status_code} {answered.text[:500]}",
                request=answered.request,
                response=answered,
            )
        return answered.json() if answered.content else None

    def lay_out(self) -> None:
        """Create the streams, queries and bindings, and the feeds that fill them."""
        read_topic = self.servers.kafka.topic(PARTITIONS)
        options: dict[str, dict[str, Any]] = {
            "filed": {"kind": "file", "options": {"path": "ids", "follow": True, "format": "json_lines"}},
            "pushed": {"kind": "push", "options": {"inbox": "ids"}},
            "queued": {
                "kind": "kafka",
                "options": {"brokers": self.servers.kafka.address, "topic": read_topic, "security": "none"},
            },
        }
        for kind in KINDS:
            body = {"name": kind, "definition": DEFINITION, "adapter": options[kind]}
            self.streams[kind] = self.call("POST", "streams/", body)["id"]
            made = self.call("POST", "queries/", {"graph": graph(kind, kind), "comment": ""})
            self.queries[kind] = made["id"]
            self.topics[kind] = self.servers.kafka.topic(1)
            binding = {"name": kind, "query_version": made["current"]["id"], "outputs": self._outputs(kind)}
            self.bindings[kind] = self.call("POST", "bindings/", binding)["id"]
        self.feeds = {
            "filed": FileFeed(self.files / "ids"),
            "pushed": PushFeed(f"{self.pages.base_url}streams/{self.streams['pushed']}/rows/", self.token),
            "queued": KafkaFeed(self.servers.kafka, read_topic, PARTITIONS),
        }

    def start(self) -> None:
        """Start the feeds and the runs."""
        for kind in KINDS:
            self.feeds[kind].start()
            self.call("POST", f"bindings/{self.bindings[kind]}/start/")

    def add_column(self, kind: str, column: str) -> None:
        """Add an integer column to the table of an output, as the product asks for before a version that fills it."""
        with psycopg.connect(self.servers.postgresql.url) as connection:
            connection.execute(f'ALTER TABLE {self._table(kind)} ADD COLUMN "{column}" bigint')

    def states(self) -> dict[str, str]:
        """Return the state of the newest run of each binding, by the binding's name. Raises HTTPError."""
        latest = {each["name"]: each["latest_run"] for each in self.call("GET", "bindings/")}
        return {name: run["observed"] for name, run in latest.items() if run}

    def all_run(self) -> bool:
        """Return true when all three bindings are said to run."""
        states = self.states()
        return all(states.get(kind) == "running" for kind in KINDS)

    def undelivered(self) -> dict[str, int]:
        """Return the rows of each output that its target has not got yet; -1: unknown."""
        found = {}
        for kind in KINDS:
            outputs = self.call("GET", f"bindings/{self.bindings[kind]}/")["outputs"]
            for each in outputs:
                waiting = (each["delivery"] or {}).get("waiting_rows")
                found[f"{kind} {each['adapter']['kind']}"] = -1 if waiting is None else waiting
        return found

    def missing(self) -> dict[str, int]:
        """Return by output the acknowledged rows that it lacks; empty when every output is complete."""
        return {name: lost for name, ids in self._outputs_read() if (lost := self._lost(name, ids))}

    def wrong(self) -> list[str]:
        """Return a sentence for each output that isn't exactly the rows of an undisturbed run."""
        found = []
        for name, ids in self._outputs_read():
            lost, doubled = self._lost(name, ids), ids.total() - len(ids)
            surplus = len(ids.keys() - self._wanted(name)[1])
            if lost or doubled or surplus:
                found.append(f"{self.slug} {name}: {lost} lost, {doubled} doubled, {surplus} never sent")
        return found

    def _wanted(self, name: str) -> tuple[set[int], set[int]]:
        """Return the ids that must be in an output, and those that may: sent, but never acknowledged."""
        feed = self.feeds[name.partition(" ")[0]]
        return set(range(feed.acknowledged)), set(range(feed.sent))

    def _lost(self, name: str, ids: Counter[int]) -> int:
        return len(self._wanted(name)[0] - ids.keys())

    def _outputs_read(self) -> Iterator[tuple[str, Counter[int]]]:
        for kind in KINDS:
            yield f"{kind} postgresql", Counter(self._in_table(kind))
            yield f"{kind} kafka", Counter(self._in_topic(kind))
            yield f"{kind} csv", Counter(self._in_files(kind))

    def _in_table(self, kind: str) -> list[int]:
        with psycopg.connect(self.servers.postgresql.url) as connection:
            return [each for (each,) in connection.execute(f"SELECT id FROM {self._table(kind)}")]

    def _in_topic(self, kind: str) -> list[int]:
        return [value["payload"]["id"] for _, value, _ in seen(self.servers.kafka, self.topics[kind], 1)]

    def _in_files(self, kind: str) -> Iterator[int]:
        for path in sorted((self.files / "sent" / kind).rglob("*.csv")):
            with path.open(encoding="utf-8", newline="") as lines:
                yield from (int(row["id"]) for row in csv.DictReader(lines))

    def _table(self, kind: str) -> str:
        return f"{self.slug}_{kind}_{self.id[:8]}"  # the server is shared by tests

    def _outputs(self, kind: str) -> list[dict[str, Any]]:
        server = conninfo_to_dict(self.servers.postgresql.url)
        table = {"host": server["host"], "port": int(str(server["port"])), "database": server["dbname"]}
        table |= {"user": server["user"], "table": self._table(kind), "mode": "append", "tls": "off"}
        topic = {"brokers": self.servers.kafka.address, "topic": self.topics[kind], "security": "none"}
        folder = {"path": f"sent/{kind}", "format": "csv", "by_day": False}
        chosen = {"postgresql": table, "kafka": topic, "file": folder}
        return [{"node": "out", "adapter": {"kind": name, "options": said}} for name, said in chosen.items()]


def graph(name: str, stream: str, *computed: dict[str, str]) -> dict[str, Any]:
    """Return a query that passes every row with a number, with further `computed` columns."""
    rows = {"kind": "filter", "id": "numbered", "input": "read", "where": "id >= 0"}
    columns = [{"name": each, "of": each} for each in ("id", "note")]
    project = {"kind": "project", "id": "columns", "input": "numbered", "columns": [*columns, *computed]}
    return {
        "version": 1,
        "name": f"q_{name}",
        "nodes": [
            {"kind": "input", "id": "read", "stream": stream},
            rows,
            project,
            {"kind": "output", "id": "out", "input": "columns"},
        ],
    }


def described(tenants: list[Tenant]) -> str:
    """Return what each organisation's rows came to, for the test's print."""
    return json.dumps({each.slug: {kind: feed.acknowledged for kind, feed in each.feeds.items()} for each in tenants})
