"""Outputs of a binding: checked, encrypted, audited, sent to the runner, and protected from deletion while in use."""

from typing import Any
from urllib.parse import urlsplit

import pytest
import redis
from django.conf import settings as django_settings

from streaming.storage.results import Commit
from streaming.wire import keys
from streaming.wire.deliveries import BindingDeliveries, DeliveryMark, DeliveryObserved, read_mark, write_mark
from streaming.wire.messages import ResultRow, RunnerLease
from streaming.wire.outgoing import OutgoingPolicy
from tests.postgresql import PostgreSQL
from tests.webapp.conftest import Person, graph
from tests.webapp.runs.bindings.test_bindings import start
from tests.webapp.runs.bindings.test_bindings_changed import put
from tests.webapp.scene import Recorded
from tests.wire.written import write_commit, write_part
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.runs.models import Binding
from webapp.runs.outputs.deliveries import SILENT
from webapp.runs.storage.resealing import ResealingCounts, reseal
from webapp.runs.turns.reconciler import Reconciler

SECRET = "planted-s3cr3t"
OPTIONS = {"host": "127.0.0.1", "port": 1, "database": "d", "user": "u", "table": "t", "tls": "off"}


def output(**changes: Any) -> dict[str, Any]:
    return {"node": "out", "adapter": {"kind": "postgresql", "options": {**OPTIONS, **changes}}}


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
    target_state = bound["outputs"][0]
    assert target_state["adapter"]["options"]["password"] == {"sealed": True}
    assert (target_state["node"], target_state["revision"], target_state["delivery"]) == ("out", 1, None)
    first = stored(alice)[0]
    assert first["fields"], "the fields of the results are known"
    again = put(alice, bound, outputs=[{key: target_state[key] for key in ("identity", "node", "adapter")}]).json()
    assert again["outputs"][0] == target_state, "nothing has changed"
    assert put(alice, bound).json()["outputs"] == [target_state], "left out: as they are"
    changed = {**target_state["adapter"], "options": {**target_state["adapter"]["options"], "table": "other"}}
    content = {"identity": target_state["identity"], "node": "out", "adapter": changed}
    assert put(alice, bound, outputs=[content]).json()["outputs"][0]["revision"] == 2
    assert stored(alice)[0]["adapter"]["options"]["password"] == first["adapter"]["options"]["password"]
    elsewhere = {**changed, "options": {**changed["options"], "host": "127.0.0.2"}}
    refused = put(alice, bound, outputs=[{**content, "adapter": elsewhere}])
    assert refused.status_code == 422, "a secret is not sent to another host"
    assert "password" in refused.json()["faults"][0]["message"]
    with organisation_context(alice.organisation.pk):
        reported = ResealingCounts()
        reseal(reported)
        assert reported.already == 1
        events = [
            str(each.before) + str(each.after) for each in AuditEvent.objects.filter(action__startswith="binding")
        ]
    assert "'sealed': True" in "".join(events)
    assert SECRET not in "".join(events)
    assert put(alice, bound, outputs=[]).json()["outputs"] == []


def observed(bound: dict[str, Any], **options: Any) -> DeliveryObserved:
    """Return a runner's report on the first output."""
    nothing = dict.fromkeys(
        ("delivered", "delivered_at", "cti", "waiting_since", "domain", "message", "retry_at"), None
    )
    counts = {"revision": 1, "waiting_rows": 0, "lost_rows": 0, "at": 1, "ended": False, "waiting_exact": True}
    about = {"binding": bound["id"], "identity": bound["outputs"][0]["identity"], "state": "current"}
    return DeliveryObserved.model_validate({**about, **counts, **nothing, **options})


@pytest.mark.parametrize(
    ("sent", "code", "field", "words"),
    [
        (output() | {"node": "nowhere"}, "unknown_node", "outputs.0.node", "Its output nodes are out."),
        (output(host=""), "bad_adapter", "outputs.0.adapter.options.host", ""),
        (output(key=["nothing"]), "bad_adapter", "outputs.0.adapter", "The key names nothing"),
        ({"node": "out", "adapter": {"kind": "pigeon", "options": {}}}, "bad_adapter", "outputs.0.adapter", "pigeon"),
        (output() | {"identity": "somebody-elses"}, "bad_shape", "outputs.0.identity", "no output with this identity"),
    ],
)
def test_an_error_of_an_output_is_reported_at_its_field(
    alice: Person, binding: dict[str, Any], sent: dict[str, Any], code: str, field: str, words: str
) -> None:
    answered = put(alice, binding, outputs=[sent])
    assert answered.status_code == 422
    fault = answered.json()["faults"][0]
    assert (fault["code"], fault["field"]) == (code, field)
    assert words in fault["message"] + fault["remedy"]


@pytest.fixture
def loopback(settings: Any) -> None:
    settings.OUTGOING = OutgoingPolicy(public=False, networks=("127.0.0.0/8",))


@pytest.mark.usefixtures("loopback")
def test_a_start_tests_the_target_and_names_what_to_fix(
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


def test_a_runner_that_died_before_reporting_its_last_batch_leaves_nothing_undelivered(
    alice: Person, bound: dict[str, Any], redis_connection: "redis.Redis"
) -> None:
    organisation, launcher = str(alice.organisation.pk), Recorded()
    identity = bound["outputs"][0]["identity"]
    folder = django_settings.PUNCTUAL_DATA / organisation / f"results/{bound['id']}"
    seen = observed(bound, delivered=1, delivered_at=1)
    redis_connection.hset(keys.delivered(organisation), identity, seen.model_dump_json())
    target_state, launched = [], []
    for batch in (1, 2):
        rows = write_part(folder, "results", batch, 0, [ResultRow(output="out", start=0, end=1, payload={})])
        write_commit(folder, Commit(batch=batch, parts=[rows], totals={}))
        Reconciler(alice.organisation.pk, redis_connection, launcher).turn()
        target_state.append(alice.get(f"bindings/{bound['id']}/").json()["outputs"][0]["delivery"]["state"])
        launched.append(len(launcher.launches))
    assert (target_state, launched) == (["current", "behind"], [0, 1])


def test_no_output_shows_as_delivering_without_a_runner(
    alice: Person, bound: dict[str, Any], redis_connection: "redis.Redis"
) -> None:
    organisation, identity = str(alice.organisation.pk), bound["outputs"][0]["identity"]

    def target_state(**options: Any) -> tuple[bool, str | None, int | None]:
        seen = observed(bound, waiting_rows=3, **options)
        redis_connection.hset(keys.delivered(organisation), identity, seen.model_dump_json())
        listed = alice.get("bindings/").json()[0]
        read = alice.get(f"bindings/{bound['id']}/").json()
        assert listed["outputs"] == read["outputs"]
        found = read["outputs"][0]["delivery"]
        return found["carried"], found["message"], found["retry_at"]

    refused = {"state": "retrying", "domain": "external", "message": "It is away.", "retry_at": 9}
    assert target_state(state="behind") == (False, SILENT, None)
    assert target_state(**refused) == (False, f"It is away. {SILENT}", None)
    assert target_state(state="stopped", domain="user", message="No.") == (True, "No.", None)
    lease = RunnerLease(token="t", host="h", pid=1, started_at=1, beat_at=1)
    redis_connection.set(keys.lease(organisation), lease.model_dump_json())
    assert target_state(state="behind") == (True, None, None)
    assert target_state(**refused) == (True, "It is away.", 9)


def test_a_runner_gets_its_deliveries_and_stays_while_rows_wait(
    alice: Person, bound: dict[str, Any], redis_connection: "redis.Redis"
) -> None:
    organisation, launcher = str(alice.organisation.pk), Recorded()
    reconciler = Reconciler(alice.organisation.pk, redis_connection, launcher)
    reconciler.turn()
    content = redis_connection.hget(keys.deliveries(organisation), bound["id"])
    reported = BindingDeliveries.model_validate_json(str(content, "utf-8"))  # type: ignore[arg-type]
    target = reported.targets[0]
    assert (reported.results, target.node) == (f"results/{bound['id']}", "out")
    assert SECRET not in reported.model_dump_json()
    assert launcher.launches == [], "nothing was ever committed"
    folder = django_settings.PUNCTUAL_DATA / organisation / reported.results
    rows = write_part(folder, "results", 1, 0, [ResultRow(output="out", start=0, end=1, payload={})])
    write_commit(folder, Commit(batch=1, parts=[rows], totals={}))
    reconciler.turn()
    assert len(launcher.launches) == 1
    seen = observed(bound, state="stopped", waiting_rows=1, domain="user", message="The password is wrong.")
    redis_connection.hset(keys.delivered(organisation), target.identity, seen.model_dump_json())
    target_state = alice.get(f"bindings/{bound['id']}/").json()["outputs"][0]["delivery"]
    assert (target_state["state"], target_state["message"], target_state["waiting_rows"]) == (
        "stopped",
        "The password is wrong.",
        1,
    )
    refused = alice.client.delete(alice.url(f"bindings/{bound['id']}/results/") + "?kind=results")
    assert refused.status_code == 409
    assert "have not been delivered to its output out" in refused.json()["message"]
    write_mark(folder, target.identity, DeliveryMark(delivered=1))
    assert alice.client.delete(alice.url(f"bindings/{bound['id']}/results/") + "?kind=results").status_code == 200


def test_a_start_tries_a_stopped_delivery_again_and_home_lists_it_until_then(
    alice: Person, bound: dict[str, Any], redis_connection: "redis.Redis"
) -> None:
    organisation, identity = str(alice.organisation.pk), bound["outputs"][0]["identity"]
    words = "The table public.t lacks total. Name another table."
    seen = observed(bound, state="stopped", domain="user", message=words, waiting_rows=3, failing_since=7)
    redis_connection.hset(keys.delivered(organisation), identity, seen.model_dump_json())
    target_state = alice.get("bindings/").json()[0]["outputs"][0]["delivery"]
    assert (target_state["failing_since"], target_state["waiting_rows"], target_state["message"]) == (7, 3, words)
    assert start(alice, bound).status_code == 201
    assert stored(alice)[0]["revision"] == 2, "the runner does not try it again"
    redis_connection.hset(keys.delivered(organisation), identity, observed(bound, revision=2).model_dump_json())
    alice.post(f"bindings/{bound['id']}/stop/", {})
    start(alice, bound)
    assert stored(alice)[0]["revision"] == 2, "a delivery that works is left alone"


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


def test_the_node_of_an_output_changes_only_when_its_rows_are_delivered(alice: Person, bound: dict[str, Any]) -> None:
    changed = graph()
    changed["nodes"][-1]["id"] = "results"
    query = alice.get(f"queries/{bound['query']}/").json()
    version = alice.post(f"queries/{query['id']}/versions/", {"graph": changed, "comment": ""}).json()["id"]
    folder = django_settings.PUNCTUAL_DATA / str(alice.organisation.pk) / "results" / bound["id"]
    rows = write_part(folder, "results", 1, 0, [ResultRow(output="out", start=0, end=1, payload={})])
    write_commit(folder, Commit(batch=1, parts=[rows], totals={}))
    kept = {key: bound["outputs"][0][key] for key in ("identity", "adapter")}
    moved = {"query_version": version, "outputs": [{**kept, "node": "results"}]}
    refused = put(alice, bound, **moved)
    assert refused.status_code == 422
    [found] = refused.json()["faults"]
    assert (found["field"], found["message"]) == ("outputs.0.node", "Rows of out are still waiting for this output.")
    write_mark(folder, kept["identity"], DeliveryMark(delivered=1))
    assert put(alice, bound, **moved).status_code == 200
