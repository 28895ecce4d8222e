"""Definitions as files over HTTP: export, plan, apply; and running transcripts."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from webapp.accounts.access import TenantView
from webapp.bundles import applying, planning, transcripts
from webapp.bundles.bodies import (
    MOST_BODY_BYTES,
    ApplyBody,
    BundleTexts,
    DefinitionsPlan,
    FilesRefused,
    PlanBody,
    TranscriptBody,
    TranscriptResults,
)
from webapp.bundles.exporting import export
from webapp.core.api import LARGE_BYTES, answer, read_body
from webapp.core.errors import ErrorEnvelope

REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class DefinitionsView(TenantView):
    """All definitions of an organisation."""

    @extend_schema(operation_id="definitions_export", responses={200: BundleTexts, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """Return every stream, query, binding and board as a file, in canonical form."""
        return answer(BundleTexts(files=export()))


class PlanView(TenantView):
    """The plan of applying files; nothing is stored."""

    @extend_schema(
        operation_id="definitions_plan",
        request=PlanBody,
        responses={200: DefinitionsPlan, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Return the changes with diffs, all errors of all files, and the token that `apply` requires."""
        body = read_body(request, PlanBody, most_bytes=MOST_BODY_BYTES)
        return answer(planning.plan(body.files, prune=body.prune).to_response())


class ApplyView(TenantView):
    """Applying files."""

    @extend_schema(
        operation_id="definitions_apply",
        request=ApplyBody,
        responses={200: DefinitionsPlan, 409: ErrorEnvelope, 422: FilesRefused, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make all changes or none; 409 if anything changed since the plan, 422 with all errors of all files."""
        body = read_body(request, ApplyBody, most_bytes=MOST_BODY_BYTES)
        done = applying.apply(body.files, prune=body.prune, token=body.token, author=self.user)
        return answer(done.to_response())


class TranscriptsRunView(TenantView):
    """Executable examples, run with the reference."""

    @extend_schema(
        operation_id="transcripts_run",
        request=TranscriptBody,
        responses={200: TranscriptResults, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Run the transcripts of one file with the reference, limited in time and memory; report which pass."""
        body = read_body(request, TranscriptBody, most_bytes=LARGE_BYTES)
        return answer(transcripts.run(body.name, body.text))
