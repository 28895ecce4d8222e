"""Organisations with many things, written at once: what lists are counted and measured with."""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from streaming.definition.sql.printing.graphs import print_sql
from tests.webapp.conftest import POINTS, graph
from tests.webapp.resources import every_resource
from webapp.accounts.models import (
    Invitation,
    Membership,
    Organisation,
    OrganisationLimit,
    PreviewUse,
    ServiceAccount,
    Token,
    User,
)
from webapp.accounts.permissions import Role
from webapp.administration.models import Export
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context
from webapp.queries.models import Query, QueryText, QueryVersion
from webapp.runs.models import Binding, BindingInput, Repair, Run, RunEvent, StoredBytes
from webapp.runs.states import Desired, Observed
from webapp.scenarios.models import Scenario, ScenarioVerdict
from webapp.streams.models import Stream

ASKED_WITH = {"audit/export/": "?format=json_lines"}
"""Parameters that some lists require."""
START = datetime(2026, 11, 21, tzinfo=UTC)


@dataclass(frozen=True)
class Filled:
    """Ids of what was made, for addresses that name one: they all belong to one query and one service account."""

    query: uuid.UUID
    account: uuid.UUID


def address_of(route: str, slug: str, filled: Filled) -> str:
    """Return the address of a list in the organisation `slug`; `route` starts after it, or with `api/`."""
    path = route.replace("<uuid:query>", str(filled.query)).replace("<uuid:account>", str(filled.account))
    path = path.replace("<slug:template>", "dead_man")
    return (f"/{path}" if path.startswith("api/") else f"/api/t/{slug}/{path}") + ASKED_WITH.get(route, "")


def fill(organisation: Organisation, count: int, *, begin: int = 0, people: bool = True) -> Filled:
    """Give `organisation` `count` of each thing that a list shows, numbered from `begin`."""
    numbers = range(begin, begin + count)
    with organisation_context(organisation.pk):
        query = _designed(numbers)
        account = _programs(numbers)
        if people:
            _people(organisation, numbers)
        _written(numbers)
        for each in every_resource():
            if rows := list(each.rows(numbers)):
                type(rows[0])._default_manager.bulk_create(rows)
    return Filled(query, account)


def _designed(numbers: range) -> uuid.UUID:
    """Streams, queries of one version, bindings of one input with one run; the first query has them all as versions."""
    adapter = {"kind": "file", "options": {"path": "files/cars.jsonl", "format": "json_lines"}}
    streams = [Stream(name=f"cars_{n:03}", definition=POINTS, adapter=adapter) for n in numbers]
    queries = [Query(name=f"speeding_{n:03}") for n in numbers]
    versions = [
        _version(query, 1, graph(query.name, stream.name)) for query, stream in zip(queries, streams, strict=True)
    ]
    more = [_version(queries[0], n + 2, graph(queries[0].name, streams[0].name)) for n in range(len(numbers))]
    pairs = list(zip(numbers, versions, strict=True))
    bindings = [Binding(name=f"watch_{n:03}", query_version=version) for n, version in pairs]
    inputs = [
        BindingInput(binding=binding, node="cars", stream=stream)
        for binding, stream in zip(bindings, streams, strict=True)
    ]
    texts = [QueryText(version=version, text=print_sql(version.read_graph())) for version in versions[::2]]
    runs = [_run(binding, n) for binding, n in zip(bindings, numbers, strict=True)]
    kept = [StoredBytes(binding=each.pk, name=each.name, result_bytes=1) for each in bindings]
    journal = [RunEvent(run=run, number=1, at=run.created_at, kind="started") for run in runs]
    repairs = [_repair(binding, run, START) for binding, run in zip(bindings, runs, strict=True)]
    scenarios = [_scenario(queries[0], n) for n in numbers]
    verdicts = [_verdict(*each) for each in zip(scenarios, more, strict=True)]
    designed = (streams, queries, versions, more, texts, bindings, inputs)
    for rows in (*designed, runs, journal, kept, repairs, scenarios, verdicts):
        type(rows[0])._default_manager.bulk_create(rows)  # type: ignore[attr-defined]
    return queries[0].pk


def _repair(binding: Binding, run: Run, at: datetime) -> Repair:
    return Repair(binding=binding, run=run, asked={}, rows={}, created_at=at, given_at=at)


def _version(query: Query, number: int, says: dict[str, Any]) -> QueryVersion:
    return QueryVersion(query=query, number=number, graph=says, content_hash=f"{number:064}", comment="made to count")


def _scenario(query: Query, number: int) -> Scenario:
    content: dict[str, Any] = {"rows": [], "expect": {"events": []}, "end": "flush"}
    return Scenario(query=query, name=f"nothing {number:03}", size=50, **content)


def _verdict(scenario: Scenario, version: QueryVersion) -> ScenarioVerdict:
    return ScenarioVerdict(scenario=scenario, version=version, fingerprint="", holds=True, findings={}, ran_at=START)


def _run(binding: Binding, number: int) -> Run:
    at = START + timedelta(minutes=number)
    return Run(
        binding=binding,
        spec={},
        desired=Desired.STOPPED,
        observed=Observed.STOPPED,
        created_at=at,
        changed_at=at,
        ended_at=at + timedelta(seconds=30),
    )


def _programs(numbers: range) -> uuid.UUID:
    accounts = [ServiceAccount(name=f"program {n}", role=Role.VIEWER, created_at=START) for n in numbers]
    ServiceAccount.objects.bulk_create(accounts)
    Token.objects.bulk_create(
        Token(
            service_account=accounts[0],
            name=f"token {n}",
            key_id=uuid.uuid4().hex[:12],
            digest="0" * 64,
            role=Role.VIEWER,
            created_at=START,
            expires_at=START + timedelta(days=366),
        )
        for n in numbers
    )
    return accounts[0].pk


def _people(organisation: Organisation, numbers: range) -> None:
    people = [User(email=f"{uuid.uuid4().hex}@people.example", password="!") for _ in numbers]
    User.objects.bulk_create(people)
    Membership.objects.bulk_create(
        Membership(organisation=organisation, user=each, role=Role.VIEWER) for each in people
    )
    Invitation.objects.bulk_create(
        Invitation(
            email=f"guest{n}@people.example",
            role=Role.VIEWER,
            key_id=uuid.uuid4().hex[:12],
            digest="0" * 64,
            created_at=START,
            expires_at=START + timedelta(days=366),
        )
        for n in numbers
    )


def _written(numbers: range) -> None:
    OrganisationLimit.objects.get_or_create(quota="members", defaults={"value": 1_000})
    PreviewUse.objects.bulk_create(PreviewUse(day=(START + timedelta(days=n)).date()) for n in numbers)
    AuditEvent.objects.bulk_create(
        AuditEvent(at=START + timedelta(minutes=n), action="stream.replaced", actor_label=f"person {n}")
        for n in numbers
    )
    Export.objects.bulk_create(Export(requested_by=f"person {n}", created_at=START, state="expired") for n in numbers)
