"""A secret in every option for one of every kind of input and output, looked for wherever something can be read."""

import logging
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import redis
from django.db import connection as database
from django.db.models import Model, QuerySet
from django.test import Client
from django.urls import reverse

from streaming.adapters.kinds import InputKind
from tests.adapters.planted import MARK, PlantedKind, planted_kinds
from tests.webapp.administration.conftest import ada
from tests.webapp.administration.test_exports import fetched, link, written
from tests.webapp.conftest import POINTS, Person, graph
from tests.webapp.runs.bindings.test_bindings_changed import put
from tests.webapp.scene import Recorded
from tests.webapp.secrets.conftest import KEPT
from tests.webapp.secrets.gathered import Gathered
from webapp.administration.site import site
from webapp.core.context import installation_context
from webapp.runs.inputs.checking import BoundChecked
from webapp.runs.starts import services
from webapp.runs.turns.reconciler import Reconciler

__all__ = ["ada"]  # a fixture


@pytest.fixture
def every(tmp_path: Path) -> list[PlantedKind]:
    folder = tmp_path / "authority"
    folder.mkdir()
    return planted_kinds(folder)


@pytest.fixture
def recorder(
    alice: Person,
    every: list[PlantedKind],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    sent: list[str],
) -> Iterator[Gathered]:
    """Record the output of a test; logs at DEBUG, statements, tasks, output and present processes belong to it."""
    caplog.set_level(logging.DEBUG)
    database.force_debug_cursor = True
    found = Gathered(alice)
    yield found
    database.force_debug_cursor = False
    for process in psutil.process_iter(["cmdline", "environ"]):
        found.add("processes", f"{process.info['cmdline']} {process.info['environ']}")
    found.add("log", caplog.text + "".join(str(record.__dict__) for record in caplog.records))
    found.add("output", "".join(capfd.readouterr()))
    found.add("statements", str(database.queries_log))
    found.add("tasks", "\n".join(sent))
    assert found.holding(MARK, *(each for kind in every for each in kind.secrets.values())) == []


EDGES = {"shape": "edge", **{name: POINTS[name] for name in ("fields", "advance")}}


def stream_body(kind: PlantedKind, definition: dict[str, Any], **options: Any) -> dict[str, Any]:
    adapter = {"kind": kind.kind.kind, "options": {**kind.options, **options}}
    return {"name": kind.name, "definition": definition, "adapter": adapter}


def fitting(recorder: Gathered, kind: PlantedKind) -> tuple[dict[str, Any], dict[str, Any]]:
    """A stream of the kind, and the definition that it takes: points, or edges where its rows are nothing else."""
    for definition in (POINTS, EDGES):
        answered = recorder.person.post("streams/", stream_body(kind, definition))
        recorder.add("POST streams/", answered.content)
        if answered.status_code == 201:
            return answered.json(), definition
    raise AssertionError(f"{kind.name}: {answered.content}")


def inputs(every: list[PlantedKind]) -> list[PlantedKind]:
    return [each for each in every if isinstance(each.kind, InputKind)]


def outputs(every: list[PlantedKind]) -> list[dict[str, Any]]:
    chosen = [each for each in every if not isinstance(each.kind, InputKind)]
    return [{"node": "out", "adapter": {"kind": each.kind.kind, "options": dict(each.options)}} for each in chosen]


def made_streams(recorder: Gathered, every: list[PlantedKind]) -> None:
    """A stream of each kind: refused with secrets in the wrong form, proposed, made, sampled, its secrets kept."""
    for kind in inputs(every):
        made, definition = fitting(recorder, kind)
        for form in (list, lambda secret: {"sealed": "".join(secret)}):
            wrong = {name: form([secret]) for name, secret in kind.secrets.items()}
            recorder.send("post", "streams/", stream_body(kind, definition, **wrong), 422)
        adapter = stream_body(kind, definition)["adapter"]
        recorder.send("post", "streams/infer/", {"adapter": adapter}, 200)
        assert recorder.get(f"streams/{made['id']}/sample/")["faults"] != []
        kept = stream_body(kind, definition, **dict.fromkeys(kind.secrets, KEPT))
        recorder.send("put", f"streams/{made['id']}/", kept, 200)
        recorder.get(f"streams/{made['id']}/")


def bound_each(recorder: Gathered, every: list[PlantedKind]) -> list[str]:
    """A binding on each stream, the first with every output; their ids."""
    found = []
    for kind in inputs(every):
        drawn = graph(f"q_{kind.name}", stream=kind.name)
        query = recorder.send("post", "queries/", {"graph": drawn, "comment": "first"}, 201)
        bound = recorder.send("post", "bindings/", {"name": kind.name, "query_version": query["current"]["id"]}, 201)
        found.append(bound["id"])
        if len(found) == 1:
            answered = put(recorder.person, bound, outputs=outputs(every))
            assert answered.status_code == 200, answered.content
            recorder.add("PUT outputs", answered.content)
    return found


def tried_and_refused(recorder: Gathered, every: list[PlantedKind], bindings: list[str]) -> None:
    """The connection test of every output, as they are given and as they are stored, and starts that fail."""
    for reported in (outputs(every), stored_outputs(recorder.get(f"bindings/{bindings[0]}/"))):
        message = recorder.send("post", f"bindings/{bindings[0]}/outputs/check/", {"outputs": reported}, 200)
        assert message["faults"] != []
    for binding in bindings:
        recorder.send("post", f"bindings/{binding}/start/", {}, 422)


def stored_outputs(bound: dict[str, Any]) -> list[dict[str, Any]]:
    return [{name: each[name] for name in ("identity", "node", "adapter")} for each in bound["outputs"]]


def started(recorder: Gathered, bindings: list[str], connection: "redis.Redis") -> str:
    """Start them as if all had answered, and return the content of Redis for the runner."""
    for binding in bindings:
        run = recorder.send("post", f"bindings/{binding}/start/", {}, 201)["id"]
        for path in ("", "definition/", "logs/"):
            recorder.get(f"runs/{run}/{path}")
    organisation = recorder.person.organisation.pk
    Reconciler(organisation, connection, Recorded()).turn()
    return b"".join(
        content for name in ("desired", "deliveries") for content in connection.hvals(f"punctual:{organisation}:{name}")
    ).decode()


def test_what_anybody_can_read_holds_secrets_of_no_kind_but_sealed(
    recorder: Gathered,
    every: list[PlantedKind],
    ada: Client,
    redis_connection: "redis.Redis",
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    assert {each.name for each in every} >= {"in_kafka", "in_postgresql", "in_download", "out_kafka", "out_webhook"}
    made_streams(recorder, every)
    bindings = bound_each(recorder, every)
    tried_and_refused(recorder, every, bindings)
    files = recorder.get("definitions/")["files"]
    plan = recorder.send("post", "definitions/plan/", {"files": files}, 200)
    recorder.send("post", "definitions/apply/", {"files": files, "token": plan["token"]}, 200)
    monkeypatch.setattr(services, "checked_before_start", lambda _: BoundChecked([]))
    reported = started(recorder, bindings, redis_connection)
    assert reported.count('"sealed":"gAAAA') == sum(len(each.secrets) for each in every)
    for path in ("streams/", "bindings/", "runs/", "adapters/", "audit/"):
        recorder.get(path)
    add_export(recorder, fetched(link(recorder.person, written(recorder.person))))
    add_pages(recorder, ada)
    for key in redis_connection.scan_iter("*"):
        recorder.add(f"Redis {key!r}", redis_connection.dump(key) or b"")
    with database.cursor() as cursor:
        for table in database.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            recorder.add(f"table {table}", str(cursor.fetchall()))
    for file in tmp_path.rglob("*"):
        if file.is_file() and not file.is_socket():
            recorder.add(f"file {file}", file.read_bytes())


def add_export(recorder: Gathered, export: zipfile.ZipFile) -> None:
    names = export.namelist()
    assert names
    for name in names:
        recorder.add(f"export {name}", export.read(name))


def add_pages(recorder: Gathered, ada: Client) -> None:
    """The application's pages, the API's file, and every page of those who run the installation."""
    slug = recorder.person.organisation.slug
    for path in ("/", f"/{slug}/streams", f"/{slug}/bindings", "/guide", "/api/", "/api/openapi.json"):
        recorder.add(path, recorder.person.client.get(path).content)
    for model in site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        listed = ada.get(reverse(f"{name}_changelist"))
        recorder.add(f"{name} list", listed.content)
        for key in keys_of(model):
            recorder.add(f"{name} {key}", ada.get(reverse(f"{name}_change", args=[key])).content)


def keys_of(model: type[Model]) -> list[Any]:
    with installation_context("a test reads what there is"):
        return list(QuerySet(model).values_list("pk", flat=True)[:50])
