"""Many organisations in one installation, each with a few bindings over rows of a permanent writer."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import redis

from deploy.installation.embedded_redis import redis_url
from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire import keys
from streaming.wire.messages import RunnerLease
from tests.faults.installation.numbered import GRAPH, STREAM, Writer
from tests.faults.installation.site import Site

WINDOW: Final = 10
COUNTED: Final[dict[str, Any]] = {
    "version": 1,
    "name": "counted",
    "nodes": [
        {"kind": "input", "id": "ids", "stream": "ids"},
        {
            "kind": "window",
            "id": "each",
            "input": "ids",
            "window": {"kind": "tumbling", "size": f"{WINDOW}us"},
            "aggregates": [{"name": "n", "function": "count"}],
        },
        {"kind": "output", "id": "out", "input": "each"},
    ],
}
BINDINGS: Final = (("all_ids", GRAPH), ("again", GRAPH), ("counted", COUNTED))
MADE: Final = """
import io, json
from django.core.management import call_command
from webapp.accounts.models import Membership, Organisation, User
from webapp.accounts.permissions import Role
from webapp.core.context import installation_context, organisation_context
from webapp.runs.runners.own_runners import give_own_runner
with installation_context("a crowd is prepared"):
    user = User.objects.create_user("crowd@example.com", "a long enough password")
    slugs = [f"crowd-{{number}}" for number in range({count})]
    made = [Organisation.objects.create(slug=slug, name=slug) for slug in slugs]
    for each in made:
        Membership.objects.create(organisation=each, user=user, role=Role.OWNER)
for each in made[:{own}]:
    with organisation_context(each.pk):
        give_own_runner(heap_mb=512, worker_mb=512, cores=1)
def token(slug):
    output = io.StringIO()
    call_command("createtoken", email=user.email, organisation=slug, role="owner", days=1, stdout=output)
    return output.getvalue().split()[-1]
print(json.dumps([[each.slug, str(each.pk), token(each.slug)] for each in made]))
"""


class Member:
    """One organisation with its writer and the runs of BINDINGS."""

    def __init__(self, site: Site, slug: str, organisation: str, token: str, every_s: float) -> None:
        self.organisation, self.folder = organisation, site.var / organisation
        self.pages = httpx.Client(
            base_url=f"http://127.0.0.1:{site.env['PORT']}/api/t/{slug}/",
            headers={"Authorization": f"Bearer {token}"},
            timeout=20,
        )
        self.writer = Writer(self.folder / "files" / "ids", every_s)
        self.call("POST", "streams/", STREAM)
        self.bindings: dict[str, str] = {}
        for name, graph in BINDINGS:
            body = {"graph": {**graph, "name": f"q_{name}"}, "comment": ""}
            version = self.call("POST", "queries/", body)["current"]["id"]
            self.bindings[name] = self.call("POST", "bindings/", {"name": name, "query_version": version})["id"]

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Return the answer of the API. Raises HTTPError."""
        return self.pages.request(method, path, json=body).raise_for_status().json()

    def start(self) -> None:
        """Start the writer and all runs."""
        self.writer.start()
        for binding in self.bindings.values():
            self.call("POST", f"bindings/{binding}/start/", None)

    def states(self) -> list[str]:
        """Return the states in the list of runs."""
        return [each["observed"] for each in self.call("GET", "runs/", None)]

    def received(self) -> int:
        """Return the rows read by the slowest run; 0 before all have reported."""
        reports = [each["progress"] for each in self.call("GET", "runs/", None)]
        read = [0 if each is None else each["inputs"].get("ids", {}).get("received", 0) for each in reports]
        return min(read, default=0)

    def stop(self) -> None:
        """Stop all runs without closing windows."""
        for binding in self.bindings.values():
            self.call("POST", f"bindings/{binding}/stop/", {"flush": False})

    def wrong(self) -> list[str]:
        """Return the differences of the outputs from those of an undisturbed run."""
        rows, differences = self.writer.rows, []
        for name in ("all_ids", "again"):
            ids = Counter(line["payload"]["id"] for line in self._lines(name))
            if ids != Counter(range(rows)):
                lost, doubled = rows - len(ids), ids.total() - len(ids)
                differences.append(f"{self.organisation} {name}: of {rows} rows {lost} lost, {doubled} repeated")
        counts = [(line["start"], line["payload"]["n"]) for line in self._lines("counted")]
        whole = (rows - 1) // WINDOW  # windows that end at or before the last row's time
        if sorted(counts) != [(number * WINDOW, WINDOW) for number in range(whole)]:
            words = f"{len(counts)} of {whole} windows, {len(set(counts))} different"
            differences.append(f"{self.organisation} counted: {words}")
        return differences

    def _lines(self, name: str) -> Iterator[dict[str, Any]]:
        yield from committed_lines(self.folder / "results" / self.bindings[name], "results")


@dataclass
class Crowd:
    """All members; the first ones have runners of their own."""

    members: list[Member]
    own: int
    threads: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(8))

    def states(self) -> Counter[str]:
        """Return the number of runs in each state, as reported by the API. Raises HTTPError."""
        return Counter(state for mine in self.threads.map(Member.states, self.members) for state in mine)

    def end(self) -> None:
        """Stop writers and clients."""
        self.threads.shutdown()
        for each in self.members:
            each.writer.ended.set()
            each.pages.close()


class Falsehoods(threading.Thread):
    """Polls pages and leases all the time, and records each page that shows a dead run as running.

    A run is dead from the end of its runner (`died`) until another one with a session has the organisation's lease.
    """

    def __init__(self, crowd: Crowd, var: Path, clock: Callable[[], float], most_s: float) -> None:
        super().__init__(daemon=True)
        self.falsehoods: list[str] = []
        self.polls = 0
        self.ended = threading.Event()
        self._crowd, self._var, self._clock, self._most_s = crowd, var, clock, most_s
        self._dead: dict[str, tuple[float, str]] = {}
        self._tokens: dict[str, str] = {}

    def died(self, pid: int, at: float) -> None:
        """Note that the runner `pid`, or its JVM, was killed: the organisations with its lease have no runner."""
        for organisation, lease in self._leases().items():
            if lease is not None and lease.pid == pid:
                self._dead[organisation] = (at, lease.token)

    def run(self) -> None:
        while not self.ended.wait(0.2):
            for member in self._crowd.members:
                with suppress(httpx.HTTPError):
                    self._poll(member)

    def _poll(self, member: Member) -> None:
        now = self._clock()
        dead = self._dead.get(member.organisation)
        states = member.states()
        self.polls += 1
        if dead is None or "running" not in states:
            return
        lease = self._leases(member.organisation)[member.organisation]
        if lease is not None and lease.token != dead[1] and lease.session_at is not None:
            self._dead.pop(member.organisation, None)
        elif now - dead[0] > self._most_s:
            after_s = now - dead[0]
            found = f"{member.organisation}: {states} {after_s:.0f} s after the end of its runner"
            self.falsehoods.append(found)

    def _leases(self, *organisations: str) -> dict[str, RunnerLease | None]:
        wanted = organisations or tuple(member.organisation for member in self._crowd.members)
        try:
            with redis.Redis.from_url(redis_url(self._var), socket_timeout=5) as connection:
                found = connection.mget([keys.lease(each) for each in wanted])
        except redis.RedisError:
            return dict.fromkeys(wanted)
        leases = (None if content is None else RunnerLease.model_validate_json(content) for content in found)
        return dict(zip(wanted, leases, strict=True))


def crowd_of(site: Site, made: str, own: int, every_s: float) -> Crowd:
    """Return the crowd of the organisations that the program MADE printed, with their bindings."""
    organisations = json.loads(made.splitlines()[-1])
    return Crowd([Member(site, *each, every_s) for each in organisations], own)
