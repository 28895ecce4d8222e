"""A started binding of alice's whose results a test writes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from streaming.storage.results import Commit, RunBatches
from streaming.wire.messages import PaneOfRow, ResultRow
from tests.webapp.conftest import Person
from tests.wire.written import write_commit, write_part

S = 1_000_000


@dataclass
class Output:
    """The output `out` of a binding, with the fields `plate` and `n`."""

    person: Person
    binding: str
    run: str
    folder: Path
    batch: int = 0

    def path(self, what: str) -> str:
        return f"bindings/{self.binding}/outputs/out/{what}/"

    def commit(self, *rows: ResultRow, cti: int | None = 0) -> None:
        parts = [write_part(self.folder, "results", self.batch, 0, rows)] if rows else []
        runs = [RunBatches(run=self.run, first=self.batch, last=self.batch)]
        totals = {"run": self.run, "output_ctis": {"out": cti}}
        write_commit(self.folder, Commit(batch=self.batch, parts=parts, totals=totals, runs=runs))
        self.batch += 1


def row(start_s: int, plate: str, n: int, **more: Any) -> ResultRow:
    """Return the row of a window of ten seconds."""
    times = {"start": start_s * S, "end": (start_s + 10) * S}
    return ResultRow(output="out", payload={"plate": plate, "n": n}, **times, **more)


def provisional(start_s: int, plate: str, n: int, index: int) -> ResultRow:
    pane = PaneOfRow(start=start_s * S, end=(start_s + 10) * S, timing="early", index=index, is_last=False)
    return row(start_s, plate, n, key=f"{plate} {start_s}", pane=pane)


@pytest.fixture
def output(alice: Person, binding: dict[str, Any], tmp_path: Path, settings: Any, redis_server_url: str) -> Output:
    settings.REDIS_URL = redis_server_url
    run = str(alice.post(f"bindings/{binding['id']}/start/").json()["id"])
    folder = tmp_path / str(alice.organisation.pk) / "results" / binding["id"]
    return Output(alice, binding["id"], run, folder)
