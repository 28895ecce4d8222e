"""What happens to the two organisations: kills, poison rows, changes, a full disk and a restart of everything."""

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.faults.installation.kinds import processes_of
from tests.faults.installation.numbered import wait_until
from tests.faults.installation.site import Site
from tests.faults.small_disk import filled
from tests.faults.two_tenants.tenant import DEFINITION, Servers, Tenant, graph

BACK_S: Final = 240.0
FULL_S: Final = 20.0


@dataclass
class Troubles:
    """Each method is one trouble. `troubled` is the organisation whose rows and queries are changed."""

    site: Site
    servers: Servers
    troubled: Tenant
    other: Tenant
    disk: Path
    poisoned: int = 0
    unexpected: list[str] = field(default_factory=list)

    def kill(self, kind: str) -> None:
        """Kill one process of `kind` without a warning."""
        match kind:
            case "PostgreSQL":
                self.servers.postgresql.restart()
            case "Kafka":
                self.servers.kafka.kill()
                self.servers.kafka.start()
            case _:
                wait_until(lambda: bool(processes_of(self.site.var, kind)), BACK_S, f"there is a {kind}")
                processes_of(self.site.var, kind)[0].kill()

    def poison(self) -> None:
        """Send unreadable rows by each input of the troubled organisation."""
        self.poisoned += 1
        for feed in self.troubled.feeds.values():
            feed.poison(self.poisoned)

    def start_on_a_poisoned_file(self) -> None:
        """Start a binding on a Parquet file whose text is no UTF-8."""
        folder = self.troubled.files / "poisoned"
        folder.mkdir()
        write_invalid_text(folder / "text.parquet")
        definition = {**DEFINITION, "fields": {"note": "string"}}
        adapter = {"kind": "file", "options": {"path": "poisoned", "follow": True, "format": "parquet"}}
        body = {"name": "poisoned", "definition": definition, "adapter": adapter}
        self.troubled.call("POST", "streams/", body)
        nodes: list[dict[str, Any]] = [
            {"kind": "input", "id": "read", "stream": "poisoned"},
            {"kind": "output", "id": "out", "input": "read"},
        ]
        asked = {"graph": {"version": 1, "name": "q_poisoned", "nodes": nodes}, "comment": ""}
        version = self.troubled.call("POST", "queries/", asked)["current"]["id"]
        binding = self.troubled.call("POST", "bindings/", {"name": "poisoned", "query_version": version})["id"]
        self.troubled.call("POST", f"bindings/{binding}/start/")

    def change_version(self, kind: str, column: str) -> None:
        """Let a version with a further column take over from a run without a pause."""
        self.troubled.add_column(kind, column)
        stream = self.troubled.call("GET", f"streams/{self.troubled.streams[kind]}/")["name"]
        asked = graph(kind, stream, {"name": column, "of": "id * 2"})
        versions = f"queries/{self.troubled.queries[kind]}/versions/"
        version = self.troubled.call("POST", versions, {"graph": asked, "comment": ""})["id"]
        change = f"bindings/{self.troubled.bindings[kind]}/version-change/"

        def accepted() -> bool:
            answered = self.troubled.pages.post(change, json={"query_version": version})
            assert answered.status_code in {201, 409, 503}, answered.text
            return answered.status_code == 201

        wait_until(accepted, BACK_S, f"a change of {kind} to another version")

    def rename(self, kind: str, name: str) -> None:
        """Give a stream another name while runs read it."""
        path = f"streams/{self.troubled.streams[kind]}/"
        found = self.troubled.call("GET", path)
        self.troubled.call("PUT", path, {"name": name, "definition": found["definition"], "adapter": found["adapter"]})

    def fill_the_disk(self) -> None:
        """Leave no byte for FULL_S seconds; sign-in and reads of the other organisation answer all the time."""
        with filled(self.disk):
            for _ in range(int(FULL_S)):
                self._reads_answer()
                threading.Event().wait(1.0)

    def restart_everything(self) -> None:
        """Stop the installation as its user does, and start it again."""
        self.site.supervisor.terminate()
        assert self.site.supervisor.wait(300) == 0
        self.site.supervisor = self.site.started()

    def settled(self) -> float:
        """Return after how many seconds both organisations run again. The error has the states of their runs."""
        both = (self.troubled, self.other)
        try:
            return wait_until(lambda: all(each.all_run() for each in both), BACK_S, "both run again")
        except AssertionError as late:
            runs = {each.slug: each.call("GET", "bindings/") for each in both}
            states = [(slug, each["name"], each["latest_run"]) for slug, found in runs.items() for each in found]
            raise AssertionError(f"{late}: {states}") from None

    def _reads_answer(self) -> None:
        for path in ("bindings/", "runs/", "streams/"):
            try:
                answered = self.other.pages.get(path)
            except httpx.TransportError as error:
                self.unexpected.append(f"full disk: {path}: {type(error).__name__}")
                continue
            if answered.status_code != 200:
                self.unexpected.append(f"full disk: {path}: {answered.status_code} {answered.text[:200]}")


def write_invalid_text(path: Path) -> None:
    """Write three rows whose second text is no UTF-8."""
    ends, text = np.array([0, 4, 8, 12], np.int32), b"good\xff\xfe\xfd\xfcfine"
    notes = pa.Array.from_buffers(pa.string(), 3, [None, pa.py_buffer(ends), pa.py_buffer(text)])
    pq.write_table(pa.table({"at": pa.array([1, 2, 3], pa.int64()), "note": notes}), path)
