"""Outputs of a binding: checked, sealed, audited, told to the runner, and what they keep from being deleted."""

from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
from django.conf import settings as django_settings

from streaming.wire import keys
from streaming.wire.deliveries import BindingDeliveries, DeliveryMark, DeliveryObserved, read_mark, write_mark
from streaming.wire.messages import ResultRow, RunnerLease
from streaming.wire.outgoing import OutgoingPolicy
from streaming.wire.results import Commit
from tests.postgresql import PostgreSQL
from tests.webapp.conftest import Person
from tests.webapp.scene import Recorded
from tests.webapp.test_bindings import start
from tests.webapp.test_bindings_changed import put
from tests.wire.written import write_commit, write_part
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.runs.models import Binding
from webapp.runs.outputs.deliveries import SILENT
from webapp.runs.storage.resealing import ResealingCounts, reseal
from webapp.runs.turns.reconciler import Reconciler

SECRET = "planted-s3cr3t"
OPTIONS = {"host": "127.0.0.1", "port": 1, "database": "d", "user": "u", "table": "t", "tls": "off"}


def output(**said: Any) -> dict[str, Any]:
    return {"node": "out", "adapter": {"kind": "postgresql", "options": {**OPTIONS, **said}}}


@pytest.fixture
def bound(alice: Person, binding: dict[str, Any]) -> dict[str, Any]:
    """A binding with one output that has a password."""
    answered = put(alice, binding, outputs=[output(password=SECRET)])
    assert answered.status_code == 200, answered.json()
    made: dict[str, Any] = answered.json()
    return made


def stored(alice: Person) -> list[dict[str, Any]]:
    with organisation_context(alice.organisation.pk):
        found: list[dict[str, Any]] = Binding.objects.get().outputs
        return found


def test_a_secret_of_an_output_is_sealed_kept_and_shown_to_nobody(alice: Person, bound: dict[str, Any]) -> None:
    shown = bound["outputs"][0]
    assert shown["adapter"]["options"]["password"] == {"sealed": True}
    assert (shown["node"], shown["revision"], shown["delivery"]) == ("out", 1, None)
    first = stored(alice)[0]
    assert first["fields"], "the fields of the results are known"
    again = put(alice, bound, outputs=[{key: shown[key] for key in ("identity", "node", "adapter")}]).json()
    assert again["outputs"][0] == shown, "nothing has changed"
    assert put(alice, bound).json()["outputs"] == [shown], "left out: as they are"
    changed = {**shown["adapter"], "options": {**shown["adapter"]["options"], "table": "other"}}
    said = {"identity": shown["identity"], "node": "out", "adapter": changed}
    assert put(alice, bound, outputs=[said]).json()["outputs"][0]["revision"] == 2
    assert stored(alice)[0]["adapter"]["options"]["password"] == first["adapter"]["options"]["password"]
    elsewhere = {**changed, "options": {**changed["options"], "host": "127.0.0.2"}}
    refused = put(alice, bound, outputs=[{**said, "adapter": elsewhere}])
    assert refused.status_code == 422, "a secret is not sent to another host"
    assert "password" in refused.json()["faults"][0]["message"]
    with organisation_context(alice.organisation.pk):
        told = ResealingCounts()
        reseal(told)
        assert told.already == 1
        events = [
            str(each.before) + str(each.after) for each in AuditEvent.objects.filter(action__startswith="binding")
        ]
    assert "'sealed': True" in "".join(events)
    assert SECRET not in "".join(events)
    assert put(alice, bound, outputs=[]).json()["outputs"] == []


def observed(bound: dict[str, Any], **said: Any) -> DeliveryObserved:
    """What a runner tells of the first output."""
    nothing = dict.fromkeys(
        ("delivered", "delivered_at", "cti", "waiting_since", "domain", "message", "retry_at"), None
    )
    counts = {"revision": 1, "waiting_rows": 0, "lost_rows": 0, "at": 1, "ended": False, "waiting_exact": True}
    about = {"binding": bound["id"], "identity": bound["outputs"][0]["identity"], "state": "current"}
    return DeliveryObserved.model_validate({**about, **counts, **nothing, **said})


@pytest.mark.parametrize(
    ("said", "code", "field", "words"),
    [
        (output() | {"node": "nowhere"}, "unknown_node", "outputs.0.node", "Its output nodes are out."),
        (output(host=""), "bad_adapter", "outputs.0.adapter.options.host", ""),
        (output(key=["nothing"]), "bad_adapter", "outputs.0.adapter", "The key names nothing"),
        ({"node": "out", "adapter": {"kind": "pigeon", "options": {}}}, "bad_adapter", "outputs.0.adapter", "pigeon"),
        (output() | {"identity": "somebody-elses"}, "bad_shape", "outputs.0.identity", "no such output"),
    ],
)
def test_what_is_wrong_with_an_output_is_said_at_its_field(
    alice: Person, binding: dict[str, Any], said: dict[str, Any], code: str, field: str, words: str
) -> None:
    answered = put(alice, binding, outputs=[said])
    assert answered.status_code == 422
    fault = answered.json()["faults"][0]
    assert (fault["code"], fault["field"]) == (code, field)
    assert words in fault["message"] + fault["remedy"]


@pytest.fixture
def loopback(settings: Any) -> None:
    settings.OUTGOING = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))


@pytest.mark.usefixtures("loopback")
def test_a_start_tries_the_target_and_names_what_somebody_has_to_mend(
    alice: Person, bound: dict[str, Any], postgresql: PostgreSQL
) -> None:
    server = urlsplit(postgresql.url)
    there = {"port": server.port, "user": "punctual", "database": "postgres"}
    put(alice, bound, outputs=[output(**there, schema_name="absent")])
    refused = start(alice, bound)
    assert refused.status_code == 422
    assert "has no such schema" in refused.json()["faults"][0]["message"]
    put(alice, bound, outputs=[output()])
    assert start(alice, bound).status_code == 201, "one that is away for now holds nothing up"


def test_a_runner_that_died_before_it_told_of_its_last_batch_leaves_nothing_undelivered(
    alice: Person, bound: dict[str, Any], redis_connection: "redis.Redis"
) -> None:
    organisation, launcher = str(alice.organisation.pk), Recorded()
    identity = bound["outputs"][0]["identity"]
    folder = django_settings.PUNCTUAL_DATA / organisation / f"results/{bound['id']}"
    seen = observed(bound, delivered=1, delivered_at=1)
    redis_connection.hset(keys.delivered(organisation), identity, seen.model_dump_json())
    shown, launched = [], []
    for batch in (1, 2):
        rows = write_part(folder, "results", batch, 0, [ResultRow(output="out", start=0, end=1, payload={})])
        write_commit(folder, Commit(batch=batch, parts=[rows], totals={}))
        Reconciler(alice.organisation.pk, redis_connection, launcher).turn()
        shown.append(alice.get(f"bindings/{bound['id']}/").json()["outputs"][0]["delivery"]["state"])
        launched.append(len(launcher.launches))
    assert (shown, launched) == (["current", "behind"], [0, 1])


def test_nothing_is_said_to_be_delivered_while_no_runner_is_there(
    alice: Person, bound: dict[str, Any], redis_connection: "redis.Redis"
) -> None:
    organisation, identity = str(alice.organisation.pk), bound["outputs"][0]["identity"]

    def shown(**said: Any) -> tuple[bool, str | None, int | None]:
        seen = observed(bound, waiting_rows=3, **said)
        redis_connection.hset(keys.delivered(organisation), identity, seen.model_dump_json())
        listed = alice.get("bindings/").json()[0]
        read = alice.get(f"bindings/{bound['id']}/").json()
        assert listed["outputs"] == read["outputs"]
        found = read["outputs"][0]["delivery"]
        return found["carried"], found["message"], found["retry_at"]

    refused = {"state": "retrying", "domain": "external", "message": "It is away.", "retry_at": 9}
    assert shown(state="behind") == (False, SILENT, None)
    assert shown(**refused) == (False, f"It is away. {SILENT}", None)
    assert shown(state="stopped", domain="user", message="No.") == (True, "No.", None)
    lease = RunnerLease(token="t", host="h", pid=1, started_at=1, beat_at=1)
    redis_connection.set(keys.lease(organisation), lease.model_dump_json())
    assert shown(state="behind") == (True, None, None)
    assert shown(**refused) == (True, "It is away.", 9)


def test_a_runner_is_told_what_to_bring_and_is_there_while_rows_wait(
    alice: Person, bound: dict[str, Any], redis_connection: "redis.Redis"
) -> None:
    organisation, launcher = str(alice.organisation.pk), Recorded()
    reconciler = Reconciler(alice.organisation.pk, redis_connection, launcher)
    reconciler.turn()
    content = redis_connection.hget(keys.deliveries(organisation), bound["id"])
    told = BindingDeliveries.model_validate_json(str(content, "utf-8"))  # type: ignore[arg-type]
    target = told.targets[0]
    assert (told.results, target.node) == (f"results/{bound['id']}", "out")
    assert SECRET not in told.model_dump_json()
    assert launcher.launches == [], "nothing was ever committed"
    folder = django_settings.PUNCTUAL_DATA / organisation / told.results
    rows = write_part(folder, "results", 1, 0, [ResultRow(output="out", start=0, end=1, payload={})])
    write_commit(folder, Commit(batch=1, parts=[rows], totals={}))
    reconciler.turn()
    assert len(launcher.launches) == 1
    seen = observed(bound, state="stopped", waiting_rows=1, domain="user", message="The password is wrong.")
    redis_connection.hset(keys.delivered(organisation), target.identity, seen.model_dump_json())
    shown = alice.get(f"bindings/{bound['id']}/").json()["outputs"][0]["delivery"]
    assert (shown["state"], shown["message"], shown["waiting_rows"]) == ("stopped", "The password is wrong.", 1)
    refused = alice.client.delete(alice.url(f"bindings/{bound['id']}/results/") + "?kind=results")
    assert refused.status_code == 409
    assert "still to be brought to its output out" in refused.json()["message"]
    write_mark(folder, target.identity, DeliveryMark(delivered=1))
    assert alice.client.delete(alice.url(f"bindings/{bound['id']}/results/") + "?kind=results").status_code == 200


def test_an_output_that_is_removed_keeps_nothing_any_more(
    alice: Person, bound: dict[str, Any], django_capture_on_commit_callbacks: Any, redis_connection: "redis.Redis"
) -> None:
    folder = django_settings.PUNCTUAL_DATA / str(alice.organisation.pk) / "results" / bound["id"]
    identity = bound["outputs"][0]["identity"]
    write_mark(folder, identity, DeliveryMark(delivered=None))
    with django_capture_on_commit_callbacks(execute=True):
        assert put(alice, bound, outputs=[]).status_code == 200
    assert read_mark(folder, identity) is None


def test_kinds_of_outputs_are_listed_with_their_forms(alice: Person) -> None:
    listed = alice.get("adapters/?direction=out").json()
    kinds = {each["kind"]: each for each in listed}
    assert kinds["postgresql"]["options_schema"]["properties"]["password"]["anyOf"][0]["writeOnly"]
    assert "generator" not in kinds
    assert alice.get("adapters/?direction=up").status_code == 422
