"""Stored objects in addition to streams, queries and bindings: scenarios, outputs, uploads, exports."""

from uuid import UUID

from tests.webapp.conftest import kept_scenario
from tests.webapp.resources import OwnThings, Resource
from tests.webapp.runs.outputs.bound_output import output_with_refused
from tests.webapp.uploads.bringing import CSV, uploaded
from webapp.core.context import organisation_context


def _scenario(things: OwnThings) -> str:
    return kept_scenario(things.person, things.query, things.mark)


def _output(things: OwnThings) -> str:
    with organisation_context(things.person.organisation.pk):
        return output_with_refused(UUID(things.binding), things.mark)


def _upload(things: OwnThings) -> str:
    return uploaded(things.person, f"{things.mark}.csv", CSV)


def _export(things: OwnThings) -> str:
    return things.made("exports/")


SCENARIO = Resource("scenario", _scenario)
OUTPUT = Resource("output", _output)
UPLOAD = Resource("upload", _upload)
EXPORT = Resource("export", _export)
