"""Running scenarios: on a version, which stores the verdict, or on a draft text."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from streaming.definition.streams.stream import StreamDefinition
from streaming.definition.versions.meaning import canonical
from streaming.simulator.samples.scenario import ScenarioFindings
from webapp.accounts.limits.previews import previewing
from webapp.core.errors import TooMuchWork
from webapp.queries.access import input_streams
from webapp.queries.models import Query, QueryVersion
from webapp.queries.texts import text_of
from webapp.scenarios import jobs
from webapp.scenarios.bodies import VerdictResponse, VersionVerdicts
from webapp.scenarios.jobs import QueryOfStreams
from webapp.scenarios.models import Scenario, ScenarioVerdict
from webapp.scenarios.services import body_of
from webapp.streams.access import stream_definitions

VERSIONS = 100


def fingerprint(scenario: Scenario, version: QueryVersion, streams: Mapping[str, StreamDefinition]) -> str:
    """Return a hash of everything that is run: the scenario, the version, and the streams that it reads."""
    read = sorted(set(input_streams(version).values()) & streams.keys())
    definitions = {name: streams[name].model_dump(mode="json") for name in read}
    says = [scenario.rows, scenario.advance, scenario.end, scenario.expect]
    whole = [says, str(version.pk), definitions]
    return hashlib.sha256(canonical(whole).encode()).hexdigest()


def run_version(version: QueryVersion, scenarios: Sequence[Scenario]) -> list[VerdictResponse]:
    """Run `scenarios` on a stored version and store the verdicts. Raises `Busy` and `OverQuota`."""
    streams = stream_definitions()
    query = QueryOfStreams(text_of(version), streams)
    shown = []
    for scenario in scenarios:
        mark = fingerprint(scenario, version, streams)
        findings, at = _judged(query, scenario), timezone.now()
        ScenarioVerdict.objects.update_or_create(
            scenario=scenario,
            version=version,
            defaults={
                "fingerprint": mark,
                "holds": findings.holds,
                "findings": findings.model_dump(mode="json", exclude_defaults=True),
                "ran_at": at,
            },
        )
        shown.append(_to_response(scenario, version.number, at, findings))
    return shown


def run_text(text: str, scenarios: Sequence[Scenario]) -> list[VerdictResponse]:
    """Run `scenarios` on a draft text; nothing is stored. Raises `Busy` and `OverQuota`."""
    query = QueryOfStreams(text, stream_definitions())
    return [_to_response(each, None, timezone.now(), _judged(query, each)) for each in scenarios]


def known_verdicts(version: QueryVersion, scenarios: Iterable[Scenario]) -> dict[Any, VerdictResponse]:
    """Return the valid verdicts of `version` by scenario: of the same scenario on the same streams."""
    streams = stream_definitions()
    stored = {each.scenario_id: each for each in ScenarioVerdict.objects.filter(version=version)}
    found = {}
    for scenario in scenarios:
        verdict = stored.get(scenario.pk)
        if verdict is not None and verdict.fingerprint == fingerprint(scenario, version, streams):
            findings = ScenarioFindings.model_validate(verdict.findings)
            found[scenario.pk] = _to_response(scenario, version.number, verdict.ran_at, findings)
    return found


def verdicts_by_version(query: Query) -> list[VersionVerdicts]:
    """Return the verdicts of the newest versions of `query`; empty without scenarios."""
    scenarios = list(Scenario.objects.filter(query=query))
    if not scenarios:
        return []
    streams = stream_definitions()
    versions = list(QueryVersion.objects.filter(query=query)[:VERSIONS])
    stored = {
        (each.version_id, each.scenario_id): each for each in ScenarioVerdict.objects.filter(version__in=versions)
    }
    found = []
    for version in versions:
        counted = [
            stored[version.pk, each.pk].holds
            for each in scenarios
            if (version.pk, each.pk) in stored
            and stored[version.pk, each.pk].fingerprint == fingerprint(each, version, streams)
        ]
        green = sum(counted)
        known = {"green": green, "red": len(counted) - green, "unknown": len(scenarios) - len(counted)}
        found.append(VersionVerdicts(version=version.number, **known))
    return found


def _judged(query: QueryOfStreams, scenario: Scenario) -> ScenarioFindings:
    with previewing():
        try:
            return jobs.judged(query, body_of(scenario))
        except TooMuchWork as refused:
            return ScenarioFindings.not_run(refused.message)


def _to_response(scenario: Scenario, version: int | None, at: datetime, findings: ScenarioFindings) -> VerdictResponse:
    return VerdictResponse(scenario=str(scenario.pk), version=version, ran_at=at.isoformat(), findings=findings)
