"""A secret is planted, everything is done with its stream, and it is looked for wherever something can be read."""

import json
import logging
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
import redis
from django.db import connection as database
from django.test import Client

from tests.webapp.conftest import Person, graph
from tests.webapp.scene import Recorded
from tests.webapp.secrets.conftest import KEPT, OLD, OTHER, PLANTED, body
from tests.webapp.secrets.gathered import Gathered
from webapp.core.context import organisation_context
from webapp.core.secrets import organisation_keys
from webapp.runs.inputs.checking import BoundChecked
from webapp.runs.runners.launching import ProcessLauncher, runner_log
from webapp.runs.runners.redis_users import address_for
from webapp.runs.starts import services
from webapp.runs.turns.reconciler import Reconciler
from webapp.streams.models import Stream

PASSWORD = "planted-a6b0-redis"


@pytest.fixture
def gathered(
    alice: Person, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], settings: Any
) -> Iterator[Gathered]:
    """Record the output of a test; logs at DEBUG, statements of the database and standard output belong to it."""
    caplog.set_level(logging.DEBUG)
    database.force_debug_cursor = True
    found = Gathered(alice)
    yield found
    database.force_debug_cursor = False
    found.add("log", caplog.text + "".join(str(record.__dict__) for record in caplog.records))
    found.add("output", "".join(capfd.readouterr()))
    found.add("statements", str(database.queries_log))
    assert found.holding(PLANTED, OTHER) == []


def wrong_bodies() -> Iterator[dict[str, Any]]:
    """Bodies with the planted secret that are refused, each for another reason."""
    yield {**body(PLANTED), "name": "no name"}
    yield {**body(PLANTED), "more": 1}
    yield body([PLANTED])
    yield body({"sealed": PLANTED})
    yield body({PLANTED: PLANTED}) | {"definition": {"shape": "point", "fields": {"a": "no type"}}}
    yield body(f"{PLANTED} with spaces")
    yield body(PLANTED * 400)
    yield body(PLANTED, url="ftp://127.0.0.1/x")
    yield {**body(PLANTED), "adapter": {"kind": "none", "options": {"token": {"sealed": True}}}}


def test_no_answer_log_statement_or_output_shows_a_secret(gathered: Gathered, sent: list[str]) -> None:
    made = gathered.send("post", "streams/", body(PLANTED), 201)
    for wrong in wrong_bodies():
        gathered.send("post", "streams/", wrong, 422)
        gathered.send("put", f"streams/{made['id']}/", wrong, 422)
    gathered.send("post", "streams/", body(OTHER), 409)
    gathered.send("put", f"streams/{made['id']}/", body(OTHER), 200)
    gathered.send("put", f"streams/{made['id']}/", body(KEPT), 200)
    sample = gathered.get(f"streams/{made['id']}/sample/")
    assert sample["faults"] != []
    for path in ("streams/", f"streams/{made['id']}/", "adapters/", "audit/", "runs/", "bindings/"):
        gathered.get(path)
    query = gathered.send("post", "queries/", {"graph": graph(), "comment": "first"}, 201)
    bound = {"name": "watch", "query_version": query["current"]["id"]}
    binding = gathered.send("post", "bindings/", bound, 201)
    gathered.send("post", f"bindings/{binding['id']}/start/", {}, 422)
    gathered.add("tasks", "\n".join(sent))
    with organisation_context(gathered.person.organisation.pk):
        gathered.add("a stream in a traceback", repr(Stream.objects.get().__dict__))


def test_files_plans_and_their_faults_show_no_secret(gathered: Gathered) -> None:
    gathered.send("post", "streams/", body(PLANTED), 201)
    text = gathered.get("definitions/")["files"]["streams/cars.yaml"]
    given = text.replace("\n      sealed: true", f" {OTHER}")
    for wrong in (
        f"{given}  :\n",
        given.replace(OTHER, f"[{OTHER}]"),
        given.replace("https:", "ftp:"),
        f"{given}a: b\n",
    ):
        refused = gathered.send("post", "definitions/plan/", {"files": {"streams/cars.yaml": wrong}}, 200)
        assert refused["faults"] != []
    plan = gathered.send("post", "definitions/plan/", {"files": {"streams/cars.yaml": given}}, 200)
    files = {"files": {"streams/cars.yaml": given}, "token": plan["token"]}
    gathered.send("post", "definitions/apply/", files, 200)
    gathered.get("definitions/")
    gathered.send("post", "definitions/plan/", {"files": {}, "prune": True}, 200)


def test_a_fault_of_the_program_shows_no_secret(
    gathered: Gathered, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.DEBUG = False

    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr("webapp.streams.services.stream_faults", fails)
    gathered.send("post", "streams/", body(PLANTED), 500)


def test_a_started_run_leaves_sealed_values_alone_in_database_and_redis(
    gathered: Gathered,
    sent: list[str],
    redis_connection: "redis.Redis",
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(services, "checked_before_start", lambda _: BoundChecked([]))
    gathered.send("post", "streams/", body(PLANTED), 201)
    query = gathered.send("post", "queries/", {"graph": graph(), "comment": "first"}, 201)
    made = gathered.send("post", "bindings/", {"name": "watch", "query_version": query["current"]["id"]}, 201)
    run = gathered.send("post", f"bindings/{made['id']}/start/", {}, 201)
    organisation = gathered.person.organisation.pk
    Reconciler(organisation, redis_connection, Recorded()).turn()
    for path in ("runs/", f"runs/{run['id']}/", f"runs/{run['id']}/logs/"):
        gathered.get(path)
    kept = {key: redis_connection.dump(key) for key in redis_connection.scan_iter(f"*{organisation}*")}
    [desired] = redis_connection.hvals(f"punctual:{organisation}:desired")
    gathered.add("Redis", desired)
    gathered.add("Redis, all", b"".join(content or b"" for content in kept.values()))
    assert '"token":{"sealed":"gAAAA' in desired.decode()
    with database.cursor() as cursor:
        for table in database.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            gathered.add(f"table {table}", str(cursor.fetchall()))
    gathered.add("tasks", "\n".join(sent))
    assert gathered.holding(PLANTED) == []


def test_forms_know_that_a_secret_is_write_only_and_get_no_example_of_one(alice: Person) -> None:
    [schema] = [each["options_schema"] for each in alice.get("adapters/").json() if each["kind"] == "download"]
    token = schema["properties"]["token"]
    assert [each.get("writeOnly", False) for each in token["anyOf"]] == [True, False]
    assert token["default"] is None
    assert not {"example", "examples"} & {*token, *token["anyOf"][0]}


ECHOES = """
import json, os, sys
told = json.load(sys.stdin)
print(sorted(told), len(told["keys"]), flush=True)
os.read(os.open(os.environ["GATE"], os.O_RDONLY), 1)
with open(os.environ["GATE"] + ".told", "w") as file:
    json.dump(told, file)
"""


@pytest.fixture
def guarded_redis(settings: Any, redis_connection: "redis.Redis") -> Iterator[None]:
    """Return the installation's Redis, empty, with a password."""
    redis_connection.config_set("requirepass", PASSWORD)
    settings.REDIS_URL = settings.REDIS_URL.replace("//", f"//:{PASSWORD}@")
    yield
    redis_connection.config_set("requirepass", "")


@pytest.mark.usefixtures("guarded_redis")
def test_a_launched_runner_gets_its_keys_and_no_list_of_processes_or_log_shows_them(
    settings: Any, tmp_path: Path
) -> None:
    package = tmp_path / "other" / "streaming" / "runtime"
    package.mkdir(parents=True)
    for name in ("streaming/__init__.py", "streaming/runtime/__init__.py"):
        (tmp_path / "other" / name).touch()
    (package / "__main__.py").write_text(ECHOES)
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    settings.BASE_DIR = tmp_path / "other"
    settings.RUNNER_ENVIRONMENT = {"PATH": os.environ["PATH"], "GATE": str(gate)}
    organisation, stranger = uuid.uuid4(), uuid.uuid4()
    process = psutil.Process(ProcessLauncher().launch(organisation).pid)
    with gate.open("wb"):  # returns when the runner has read its input
        listed = [
            f"{each.info['cmdline']} {each.info['environ']}" for each in psutil.process_iter(["cmdline", "environ"])
        ]
    process.wait(20)
    keys = organisation_keys(organisation)
    sent = json.loads(Path(f"{gate}.told").read_text())
    assert (sent["redis"], sent["keys"]) == (address_for(organisation), keys)
    own_password = urlsplit(sent["redis"]).password
    assert own_password
    assert PASSWORD not in sent["redis"]
    assert any(str(organisation) in each for each in listed)
    log = runner_log(organisation).read_text()
    for secret in (PASSWORD, own_password, OLD, *keys):
        assert [each for each in [*listed, log] if secret in each] == []
    assert not set(keys) & set(organisation_keys(stranger))


def test_an_answer_to_nobody_shows_no_secret(gathered: Gathered) -> None:
    gathered.send("post", "streams/", body(PLANTED), 201)
    answered = Client().post(gathered.person.url("streams/"), body(PLANTED), content_type="application/json")
    assert answered.status_code in (401, 403)
    gathered.add("nobody", answered.content)
