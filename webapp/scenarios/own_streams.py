"""Use of a template on the organisation's streams: the chosen streams are checked, then the query is made."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from django.db import transaction

from streaming.definition.faults import Fault, FaultCode
from streaming.templates.catalogue import QueryTemplate
from streaming.templates.fitting import InputFit
from streaming.templates.renaming import OwnStream
from webapp.accounts.models import User
from webapp.core.errors import Faulty, fault
from webapp.queries.assistance import sound
from webapp.queries.bodies import VersionBody
from webapp.queries.checking import refuses
from webapp.queries.models import Query
from webapp.queries.services import create_query
from webapp.scenarios import own_streams_jobs as jobs
from webapp.scenarios.bodies import ScenarioBody
from webapp.scenarios.own_streams_bodies import OwnStreamsBody
from webapp.scenarios.own_streams_jobs import OwnQuery
from webapp.scenarios.services import create_scenario
from webapp.scenarios.templates import free_name
from webapp.streams.access import access_stream, stream_definitions, streams_with_ctis

COMMENT: Final = "From a template, on existing streams"


@dataclass(frozen=True)
class OwnQueryTaken:
    """A query that was made from a template, and whether it got the scenario, in words."""

    query: Query
    scenario: bool
    words: str


def fitting(template: QueryTemplate) -> list[InputFit]:
    """Return how the streams of the organisation fit the inputs of a template."""
    return jobs.fitting(template.name, stream_definitions())


def written(*, template: QueryTemplate, chosen: OwnStreamsBody) -> OwnQuery:
    """Return the query of the template on the chosen streams; nothing is stored.

    Raises `NotFound` for a stream that is absent or not yours, `Faulty` for an incomplete choice.
    """
    streams = _streams(template, chosen)
    return jobs.written(template.name, free_name(template), streams, stream_definitions(), streams_with_ctis())


def take_on(*, template: QueryTemplate, chosen: OwnStreamsBody, author: User | None) -> OwnQueryTaken:
    """Make the query of a template on the chosen streams, with its scenario if it passes there.

    Raises like `written`, also `Faulty` for a query with errors, and `OverQuota`.
    """
    made = written(template=template, chosen=chosen)
    if refuses(made.faults):
        raise Faulty(made.faults)
    draft = sound(VersionBody(text=made.text))
    with transaction.atomic():
        query = create_query(draft=draft, comment=COMMENT, author=author)
        if made.scenario is not None:
            create_scenario(query=query, body=ScenarioBody.model_validate(made.scenario))
    return OwnQueryTaken(query, made.scenario is not None, made.words)


def _streams(template: QueryTemplate, chosen: OwnStreamsBody) -> dict[str, OwnStream]:
    """Return the chosen streams by the inputs of the template."""
    found = {name: access_stream(each.stream) for name, each in chosen.streams.items()}
    faults = [*_of_inputs(template, chosen)]
    if not faults:
        faults = list(_of_fields(fitting(template), chosen, {name: stream.name for name, stream in found.items()}))
    if faults:
        raise Faulty(faults)
    return {name: OwnStream(found[name].name, each.fields) for name, each in chosen.streams.items()}


def _of_inputs(template: QueryTemplate, chosen: OwnStreamsBody) -> Iterator[Fault]:
    for name in template.streams.keys() - chosen.streams.keys():
        message = f"No stream is chosen for {name}."
        yield fault(FaultCode.MISSING_ARGUMENT, message, "Choose one.", field=f"streams.{name}")
    for name in chosen.streams.keys() - template.streams.keys():
        message = f"The template has no input {name}."
        remedy = f"Its inputs are {', '.join(template.streams)}."
        yield fault(FaultCode.UNKNOWN_INPUT, message, remedy, field=f"streams.{name}")
    seen: dict[str, str] = {}
    for name, each in chosen.streams.items():
        first = seen.setdefault(str(each.stream), name)
        if first != name:
            message = f"One stream is chosen for {first} and for {name}."
            yield fault(
                FaultCode.CONFLICTING_ARGUMENTS, message, "Choose another one for one of them.", field=f"streams.{name}"
            )


def _of_fields(inputs: list[InputFit], chosen: OwnStreamsBody, names: Mapping[str, str]) -> Iterator[Fault]:
    """Yield why the chosen streams and fields do not fit: what is missing, and each field without a choice."""
    for each in inputs:
        own, path = chosen.streams[each.input].fields, f"streams.{each.input}"
        fit = next(stream for stream in each.streams if stream.stream == names[each.input])
        for missing in fit.missing:
            message = f"{fit.stream} does not fit {each.input}. {missing}"
            yield fault(FaultCode.TYPE_MISMATCH, message, f"Choose a stream of {each.needs}.", field=path)
        for wanted in fit.fields:
            given, remedy = own.get(wanted.field), f"Choose one of {', '.join(wanted.offered)}."
            if given is None:
                message = f"No field of {fit.stream} is chosen for {wanted.field}."
                yield fault(FaultCode.MISSING_ARGUMENT, message, remedy, field=f"{path}.fields.{wanted.field}")
            elif given not in wanted.offered:
                message = f"The field {given} of {fit.stream} can't replace {wanted.field}."
                yield fault(FaultCode.TYPE_MISMATCH, message, remedy, field=f"{path}.fields.{wanted.field}")
        if not fit.missing and (more := own.keys() - {wanted.field for wanted in fit.fields}):
            message = f"The template reads no field {', '.join(sorted(more))} of {each.input}."
            remedy = f"Send only {', '.join(wanted.field for wanted in fit.fields)}."
            yield fault(FaultCode.UNKNOWN_FIELD, message, remedy, field=f"{path}.fields")
