"""The application on its own port, and the client, called as a shell calls it."""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from streaming.storage.results import Commit
from streaming.wire.messages import ResultRow
from tests.webapp.conftest import (  # noqa: F401 - fixtures that are used by name
    Person,
    _installation,
    acme,
    alice,
    binding,
    bob,
    cars,
    cars_file,
    charlie,
    django_db_setup,
    redis_connection,
    speeding,
)
from tests.wire.written import write_commit, write_part
from webapp.celery import app as celery
from webapp.client.main import main
from webapp.core.context import organisation_context
from webapp.runs.models import Run


@dataclass(frozen=True)
class Ended:
    """The outcome of a call of the client: exit code and output."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the one document on standard output."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Return standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]


Punctual = Callable[..., Ended]


def token_of(person: Person, role: str = "owner") -> str:
    made = person.post("tokens/", {"name": "client", "role": role, "expires_in_days": 1})
    assert made.status_code == 201, made.content
    return str(made.json()["token"])


@pytest.fixture(autouse=True)
def _queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put tasks into a queue in this process, from which no worker takes them."""
    monkeypatch.setattr(celery.conf, "broker_url", "memory://")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return the configuration folder of the caller."""
    folder = tmp_path / "config"
    folder.mkdir()
    return folder


@dataclass
class Pauses:
    """Events while the client waits: one in each pause, then ctrl-C. Nobody really waits by default."""

    happenings: "list[Callable[[], object]] | None" = None

    def set(self, *happenings: Callable[[], object]) -> None:
        self.happenings = list(happenings)

    def __call__(self, seconds: float) -> None:
        assert self.happenings is not None, "the client waits for something"
        if not self.happenings:
            raise KeyboardInterrupt
        self.happenings.pop(0)()


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def bare(home: Path, pauses: Pauses, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Punctual:
    """Call the client with only its arguments, `env` and `stdin`."""

    def call(*argv: str, env: dict[str, str] | None = None, stdin: str = "") -> Ended:
        monkeypatch.setattr("sys.stdin", io.StringIO(stdin))
        capsys.readouterr()
        code = main([str(each) for each in argv], {"XDG_CONFIG_HOME": str(home), **(env or {})}, pauses)
        return Ended(code, *capsys.readouterr())

    return call


@pytest.fixture
def as_alice(live_server: Any, alice: Person) -> dict[str, str]:  # noqa: F811
    """Return an environment with alice's token."""
    return {"PUNCTUAL_ADDRESS": live_server.url, "PUNCTUAL_TOKEN": token_of(alice)}


@pytest.fixture
def punctual(bare: Punctual, as_alice: dict[str, str]) -> Punctual:
    """Return a call of the client as alice, who owns acme."""

    def call(*argv: str, env: dict[str, str] | None = None, stdin: str = "") -> Ended:
        return bare(*argv, env={**as_alice, **(env or {})}, stdin=stdin)

    return call


@dataclass
class Results:
    """The results that a runner of alice's binding would write, batch by batch, from the reports of `run`."""

    folder: Path
    run: Callable[[], str | None]
    batch: int = 0
    count: int = 0

    def write(self, *sizes: int, incomplete: bool = False) -> None:
        """Commit one batch with one part of each size."""
        parts = []
        for task, size in enumerate(sizes):
            rows = [self._row().model_copy(update={"incomplete": incomplete}) for _ in range(size)]
            parts.append(write_part(self.folder, "results", self.batch, task, rows))
        write_commit(self.folder, Commit(batch=self.batch, parts=parts, totals={"run": self.run()}))
        self.batch += 1

    def _row(self) -> ResultRow:
        row = ResultRow(output="out", start=self.count * 1_000_000, end=None, payload={"n": self.count})
        self.count += 1
        return row


@pytest.fixture
def results(settings: Any, acme: Any, binding: dict[str, Any]) -> Results:  # noqa: F811
    def newest() -> str | None:
        with organisation_context(acme.pk):
            run = Run.objects.first()
        return None if run is None else str(run.pk)

    return Results(settings.PUNCTUAL_DATA / str(acme.pk) / "results" / binding["id"], newest)


@pytest.fixture
def run(alice: Person, binding: dict[str, Any]) -> str:  # noqa: F811
    """Return the id of a run of `watch` that was just requested."""
    started = alice.post(f"bindings/{binding['id']}/start/")
    assert started.status_code == 201, started.content
    return str(started.json()["id"])
