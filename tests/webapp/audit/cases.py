"""Audit events of each address: one case for each method that writes one, a reason for each that does not."""

from typing import Any
from unittest.mock import ANY
from uuid import UUID

from django.utils import timezone

from tests.webapp.audit.changed_version import changeable, changing
from tests.webapp.audit.file_cases import FILES_TAKEN
from tests.webapp.bundles.bundle import FILES, plan
from tests.webapp.conftest import POINTS, file_adapter, graph
from tests.webapp.resources import every_resource
from tests.webapp.runs.outputs.bound_output import output_with_refused
from tests.webapp.samples.repaired import left_to_repair
from tests.webapp.stage import Asked, Case, Some, Stage
from tests.webapp.uploads.bringing import CSV, brought, uploaded
from webapp.administration.models import Export
from webapp.core.context import organisation_context


def stream_body(name: str = "cars", **changed: Any) -> dict[str, Any]:
    return {"name": name, "definition": {**POINTS, **changed}, "adapter": file_adapter("files/cars.jsonl")}


def invitation(stage: Stage) -> str:
    return f"invitations/{stage.made('invitations/', INVITED)['id']}/"


def account(stage: Stage) -> str:
    return f"service-accounts/{stage.made('service-accounts/', ROBOT)['id']}/"


SCENARIO = {"name": "empty", "sample": {"rows": []}, "expect": {"events": []}}


def scenario(stage: Stage) -> str:
    path = f"queries/{stage.binding['query']}/scenarios/"
    return f"{path}{stage.made(path, SCENARIO)['id']}/"


def on_cars(stage: Stage) -> dict[str, Any]:
    stream = stage.cars["id"]
    return {"streams": {"sightings": {"stream": stream, "fields": {"road": "plate", "speed": "speed"}}}}


def ready_export(stage: Stage) -> str:
    with organisation_context(stage.alice.organisation.pk):
        made = Export(requested_by="alice", created_at=timezone.now(), state="ready")
        made.save()
    return f"exports/{made.pk}/"


def applied(stage: Stage) -> Asked:
    files = {**FILES, "streams/lorries.yaml": FILES["streams/cars.yaml"]}
    files["queries/speeding.sql"] = files["queries/speeding.sql"].replace("120", "130")
    return "definitions/apply/", {"files": files, "token": plan(stage.alice, files)["token"]}


def with_refused(stage: Stage) -> str:
    with organisation_context(stage.alice.organisation.pk):
        return output_with_refused(UUID(stage.binding["id"]))


def running(stage: Stage) -> Asked:
    stage.made(f"{stage.bound}start/")
    return f"{stage.bound}stop/", {"flush": True}


def repairable(stage: Stage) -> Asked:
    """Of a binding of its own, for the files that it leaves stay."""
    made = stage.made("bindings/", {"name": "mended", "query_version": stage.binding["query_version"]})["id"]
    return f"bindings/{made}/repairs/", left_to_repair(stage.alice, made)


def asked_to_be_deleted(stage: Stage) -> Asked:
    stage.made("organisation/deletion/", {"slug": "acme"})
    return "organisation/deletion/", None


INVITED = {"email": "dora@example.org", "role": "viewer"}
ROBOT = {"name": "robot", "role": "operator"}
TOKEN = {"name": "nightly", "role": "viewer", "expires_in_days": 1}
GRAPH = graph(where="speed > 140")

WRITES: dict[tuple[str, str], Case] = {
    **FILES_TAKEN,
    ("organisation/", "put"): Case(
        "organisation.renamed",
        lambda _: ("organisation/", {"name": "Acme 2"}),
        "acme",
        {"name": "Acme"},
        {"name": "Acme 2"},
    ),
    ("organisation/transfer/", "post"): Case(
        "organisation.transferred",
        lambda stage: ("organisation/transfer/", {"member": stage.member}),
        "acme",
        {"alice@acme.example": "owner", "bob@acme.example": "viewer"},
        {"alice@acme.example": "admin", "bob@acme.example": "owner"},
    ),
    ("organisation/deletion/", "post"): Case(
        "organisation.deletion_asked",
        lambda _: ("organisation/deletion/", {"slug": "acme"}),
        "acme",
        None,
        {"delete_after": ANY},
    ),
    ("organisation/deletion/", "delete"): Case(
        "organisation.deletion_taken_back", asked_to_be_deleted, "acme", {"delete_after": ANY}
    ),
    ("members/<uuid:member>/", "put"): Case(
        "member.role_changed",
        lambda stage: (f"members/{stage.member}/", {"role": "designer"}),
        "bob@acme.example",
        {"role": "viewer"},
        {"role": "designer"},
    ),
    ("members/<uuid:member>/", "delete"): Case(
        "member.removed",
        lambda stage: (f"members/{stage.member}/", None),
        "bob@acme.example",
        {"role": "viewer", "tokens_ended": 0},
    ),
    ("invitations/", "post"): Case(
        "invitation.created", lambda _: ("invitations/", INVITED), "dora@example.org", None, {"role": "viewer"}
    ),
    ("invitations/<uuid:invitation>/", "put"): Case(
        "invitation.role_changed",
        lambda stage: (invitation(stage), {"role": "designer"}),
        "dora@example.org",
        {"role": "viewer"},
        {"role": "designer"},
    ),
    ("invitations/<uuid:invitation>/", "delete"): Case(
        "invitation.revoked", lambda stage: (invitation(stage), None), "dora@example.org", {"role": "viewer"}
    ),
    ("invitations/<uuid:invitation>/resend/", "post"): Case(
        "invitation.resent",
        lambda stage: (f"{invitation(stage)}resend/", None),
        "dora@example.org",
        None,
        {"role": "viewer"},
    ),
    ("service-accounts/", "post"): Case(
        "service_account.created",
        lambda _: ("service-accounts/", ROBOT),
        "robot",
        None,
        Some({"role": "operator"}),
    ),
    ("service-accounts/<uuid:account>/", "put"): Case(
        "service_account.replaced",
        lambda stage: (account(stage), {**ROBOT, "role": "viewer"}),
        "robot",
        {"role": "operator"},
        {"role": "viewer"},
    ),
    ("service-accounts/<uuid:account>/", "delete"): Case(
        "service_account.deleted", lambda stage: (account(stage), None), "robot", Some({"role": "operator"})
    ),
    ("service-accounts/<uuid:account>/tokens/", "post"): Case(
        "token.created",
        lambda stage: (f"{account(stage)}tokens/", TOKEN),
        ANY,
        None,
        Some({"role": "viewer"}),
    ),
    ("tokens/", "post"): Case("token.created", lambda _: ("tokens/", TOKEN), ANY, None, Some({"role": "viewer"})),
    ("tokens/<uuid:token>/", "put"): Case(
        "token.renamed",
        lambda stage: (f"tokens/{stage.made('tokens/', TOKEN)['id']}/", {"name": "weekly"}),
        ANY,
        {"name": "nightly"},
        {"name": "weekly"},
    ),
    ("tokens/<uuid:token>/", "delete"): Case(
        "token.revoked",
        lambda stage: (f"tokens/{stage.made('tokens/', TOKEN)['id']}/", None),
        ANY,
        Some({"role": "viewer"}),
    ),
    ("audit/export/", "get"): Case(
        "audit.exported",
        lambda _: ("audit/export/?format=csv&action=stream.", None),
        "audit log",
        None,
        {"format": "csv", "action": "stream."},
    ),
    ("runs/<uuid:run>/quarantine/file/", "get"): Case(
        "quarantine.exported",
        lambda stage: (f"runs/{stage.made(f'{stage.bound}start/')['id']}/quarantine/file/?format=csv&lane=0", None),
        "watch",
        None,
        {"format": "csv", "lane": "0", "runs": "own"},
    ),
    ("exports/", "post"): Case("export.requested", lambda _: ("exports/", None), ANY),
    ("exports/<uuid:export>/", "delete"): Case(
        "export.deleted", lambda stage: (ready_export(stage), None), ANY, Some({"state": "ready"})
    ),
    ("exports/<uuid:export>/link/", "post"): Case(
        "export.link_made", lambda stage: (f"{ready_export(stage)}link/", None), ANY
    ),
    ("streams/", "post"): Case(
        "stream.created",
        lambda _: ("streams/", stream_body("lorries")),
        "lorries",
        None,
        Some({"name": "lorries", "adapter": file_adapter("files/cars.jsonl")}),
    ),
    ("streams/<uuid:stream>/", "put"): Case(
        "stream.replaced",
        lambda stage: (stage.stream, stream_body("autos", fields={"plate": "string"})),
        "autos",
        {"name": "cars", "definition": {"fields": {"speed": "double"}}},
        {"name": "autos", "definition": {"fields": {}}},
        also=("query.version_made",),
    ),
    ("queries/<uuid:query>/", "put"): Case(
        "query.version_made",
        lambda stage: (f"queries/{stage.binding['query']}/", {"name": "racing"}),
        "racing",
        {"version": 1, "comment": "first", "graph": {"name": "speeding"}},
        {"version": 2, "comment": "Renamed from speeding", "graph": {"name": "racing"}},
    ),
    ("queries/<uuid:query>/", "delete"): Case(
        "query.deleted",
        lambda stage: (f"queries/{stage.made('queries/', {'graph': graph('slow')})['id']}/", None),
        "slow",
        Some({"version": 1}),
    ),
    ("streams/<uuid:stream>/", "delete"): Case(
        "stream.deleted",
        lambda stage: (f"streams/{stage.made('streams/', stream_body('lorries'))['id']}/", None),
        "lorries",
        Some({"name": "lorries", "adapter": file_adapter("files/cars.jsonl")}),
    ),
    ("queries/", "post"): Case(
        "query.created",
        lambda _: ("queries/", {"graph": graph("slow"), "comment": "first"}),
        "slow",
        None,
        Some({"version": 1, "comment": "first"}),
    ),
    ("queries/<uuid:query>/versions/", "post"): Case(
        "query.version_made",
        lambda stage: (f"queries/{stage.binding['query']}/versions/", {"graph": GRAPH, "comment": "faster"}),
        "speeding",
        {"version": 1, "comment": "first", "graph": {"nodes": {"fast": {"where": "speed > 120"}}}},
        {"version": 2, "comment": "faster", "graph": {"nodes": {"fast": {"where": "speed > 140"}}}},
    ),
    ("queries/<uuid:query>/scenarios/", "post"): Case(
        "scenario.created",
        lambda stage: (f"queries/{stage.binding['query']}/scenarios/", SCENARIO),
        "empty",
        None,
        Some({"name": "empty", "query": "speeding", "rows": 0}),
    ),
    ("queries/<uuid:query>/scenarios/<uuid:scenario>/", "put"): Case(
        "scenario.replaced",
        lambda stage: (scenario(stage), {**SCENARIO, "name": "none"}),
        "none",
        Some({"name": "empty"}),
        Some({"name": "none"}),
    ),
    ("queries/<uuid:query>/scenarios/<uuid:scenario>/", "delete"): Case(
        "scenario.deleted", lambda stage: (scenario(stage), None), "empty", Some({"name": "empty", "rows": 0})
    ),
    ("templates/<slug:template>/", "post"): Case(
        "scenario.created",
        lambda _: ("templates/dead_man/", {}),
        ANY,
        None,
        Some({"query": "dead_man"}),
        also=("query.created", "stream.created", "stream.created"),
    ),
    ("templates/<slug:template>/streams/", "post"): Case(
        "scenario.created",
        lambda stage: ("templates/speeding_cars/streams/", on_cars(stage)),
        ANY,
        None,
        Some({"query": "speeding_cars"}),
        also=("query.created",),
    ),
    ("queries/<uuid:query>/labels/", "put"): Case(
        "query.labelled",
        lambda stage: (f"queries/{stage.binding['query']}/labels/", {"tags": ["tolling"], "owner": "bob@acme.example"}),
        "speeding",
        {"tags": [], "owner": None},
        {"tags": ["tolling"], "owner": "bob@acme.example"},
    ),
    ("queries/<uuid:query>/layout/", "put"): Case(
        "query.nodes_moved",
        lambda stage: (f"queries/{stage.binding['query']}/layout/", {"positions": {"fast": {"x": 10.0, "y": 20.0}}}),
        "speeding",
        {},
        {"fast": {"x": 10.0, "y": 20.0}},
    ),
    ("definitions/apply/", "post"): Case(
        "definitions.applied",
        applied,
        "definitions",
        None,
        {"created": 1, "updated": 2, "deleted": 0},
        also=("stream.created", "query.version_made", "binding.replaced"),
    ),
    ("bindings/", "post"): Case(
        "binding.created",
        lambda stage: ("bindings/", {"name": "look", "query_version": stage.binding["query_version"]}),
        "look",
        None,
        {
            "name": "look",
            "query": "speeding",
            "version": 1,
            "inputs": {"cars": Some({"stream": "cars"})},
            "dedicated": False,
            "freshness": "5s",
            "completeness": 99.9,
            "freshness_level": None,
            "outputs": [],
        },
    ),
    ("bindings/<uuid:binding>/", "put"): Case(
        "binding.replaced",
        lambda stage: (stage.bound, {"name": "look", "query_version": stage.binding["query_version"]}),
        "look",
        {"name": "watch"},
        {"name": "look"},
    ),
    ("bindings/<uuid:binding>/", "delete"): Case(
        "binding.deleted", lambda stage: (stage.bound, None), "watch", Some({"name": "watch", "query": "speeding"})
    ),
    ("files/", "delete"): Case(
        "file.deleted",
        lambda stage: (f"files/?path={brought(stage.alice, 'gone.csv')}", None),
        "gone.csv",
        {"size": len(CSV)},
    ),
    ("files/uploads/<uuid:upload>/", "delete"): Case(
        "upload.cancelled",
        lambda stage: (f"files/uploads/{uploaded(stage.alice, 'f.csv', CSV)}/", None),
        "f.csv",
        {"size": len(CSV)},
    ),
    ("files/uploads/<uuid:upload>/finish/", "post"): Case(
        "file.brought",
        lambda stage: (f"files/uploads/{uploaded(stage.alice, 'f.csv', CSV)}/finish/", {}),
        "f.csv",
        None,
        {"size": len(CSV)},
    ),
    ("bindings/<uuid:binding>/results/", "delete"): Case(
        "results.deleted",
        lambda stage: (f"{stage.bound}results/?kind=results", None),
        "watch",
        None,
        {"rows": 0, "files": 0, "bytes": 0, "complete": True},
    ),
    ("bindings/<uuid:binding>/repairs/", "post"): Case(
        "binding.repaired",
        repairable,
        "mended",
        None,
        Some({"rows": 1, "results": {"changed": 1, "only_here": 0, "missing": 0}}),
    ),
    ("bindings/<uuid:binding>/version-change/", "post"): Case(
        "binding.change_begun", changeable, "changed", None, Some({"version": 2})
    ),
    ("bindings/<uuid:binding>/version-change/", "delete"): Case(
        "binding.change_cancelled", changing, "changed", None, {"version": 2}
    ),
    ("bindings/<uuid:binding>/outputs/<uuid:output>/refused/", "delete"): Case(
        "binding.refused_deleted",
        lambda stage: (f"{stage.bound}outputs/{with_refused(stage)}/refused/", None),
        "watch",
        None,
        Some({"requests": 1}),
    ),
    ("bindings/<uuid:binding>/start/", "post"): Case(
        "run.started",
        lambda stage: (f"{stage.bound}start/", None),
        "watch",
        None,
        Some({"query": "speeding", "desired": "running"}),
    ),
    ("bindings/<uuid:binding>/stop/", "post"): Case(
        "run.stopped",
        running,
        "watch",
        {"desired": "running", "flush": False},
        {"desired": "stopped", "flush": True},
    ),
    **{key: case for each in every_resource() for key, case in each.writes.items()},
}
