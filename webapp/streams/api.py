"""Streams over HTTP: list, create, read, replace, delete, sample; and the kinds of adapter."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, Final, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.adapters.kinds import InputKind, OutputKind
from streaming.adapters.registry import kinds, output_kinds
from streaming.definition.faults import Fault
from streaming.definition.names import Name
from streaming.definition.streams.stream import AdapterChoice, AdvanceTimeSettings, EventTime, StreamDefinition
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.audit.revisions import revision_of
from webapp.core.api import AFTER, LARGE_BYTES, LISTED, ListQuery, answer, read_body, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.core.uses import UseList, uses_of
from webapp.streams import adapters, services
from webapp.streams.access import access_stream
from webapp.streams.checking import warnings_of
from webapp.streams.inferring import InferBody, StreamInference, infer
from webapp.streams.models import Stream
from webapp.streams.sealing import concealed

FIELDS_LISTED: Final = 20


class StreamBody(Strict):
    """A stream as it is created or replaced."""

    name: Name
    definition: StreamDefinition
    adapter: AdapterChoice


class StreamChange(StreamBody):
    """A new state of a stream; with `upon`, the `revision` it is based on, 409 if it has changed since."""

    upon: str | None = None


class StreamResponse(Strict):
    """A stream. Times are ISO text in UTC; `revision` changes with each change.

    `warnings` are in the answer to a stream that was just written.
    """

    id: str
    revision: str
    name: str
    definition: StreamDefinition
    adapter: AdapterChoice
    created_at: str
    updated_at: str
    warnings: list[Fault]


class StreamSummary(Strict):
    """A stream as lists show it: without its definition, which is read by id. `fields` are the first 20 names."""

    id: str
    name: str
    shape: Literal["point", "interval", "edge"]
    event_time: EventTime | None
    advance: AdvanceTimeSettings
    fields: list[str]
    field_count: int
    adapter_kind: str
    created_at: str
    updated_at: str


class StreamList(RootModel[list[StreamSummary]]):
    """Streams of an organisation by name."""


class AdapterKindResponse(Strict):
    """A kind of adapter and the JSON Schema of its options, for a form.

    `fields` are the fields that it produces, by name and type; null if the data decide, and for kinds of outputs.
    `reads_back`: delivered rows of an output of this kind can be shown again. `clocked` are the shapes of streams for
    which the adapter sends CTIs after all rows, so that none need be generated.
    """

    kind: str
    title: str
    help: str
    sends_ctis: bool
    fields: dict[str, str] | None
    options_schema: dict[str, Any]
    reads_back: bool
    clocked: list[str]


class AdapterKindList(RootModel[list[AdapterKindResponse]]):
    """Every kind of adapter in this installation."""


def written_response(stream: Stream) -> StreamResponse:
    """Return a stream that was just written, with warnings."""
    return to_response(stream, warnings_of(stream.read_definition(), stream.read_adapter()))


def to_response(stream: Stream, warnings: Sequence[Fault] = ()) -> StreamResponse:
    """Return `stream` as the API shows it."""
    return StreamResponse(
        id=str(stream.pk),
        revision=revision_of(stream.stored()),
        name=stream.name,
        definition=stream.read_definition(),
        adapter=concealed(stream.read_adapter()),
        created_at=stream.created_at.isoformat(),
        updated_at=stream.updated_at.isoformat(),
        warnings=list(warnings),
    )


def summary(stream: Stream) -> StreamSummary:
    """Return `stream` as lists show it; its fields are not read one by one."""
    fields = stream.definition["fields"]
    rest = StreamDefinition.model_validate({**stream.definition, "fields": {}, "lanes": None})
    return StreamSummary(
        id=str(stream.pk),
        name=stream.name,
        shape=rest.shape.value,
        event_time=rest.event_time,
        advance=rest.advance,
        fields=list(islice(fields, FIELDS_LISTED)),
        field_count=len(fields),
        adapter_kind=stream.adapter["kind"],
        created_at=stream.created_at.isoformat(),
        updated_at=stream.updated_at.isoformat(),
    )


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class StreamsView(TenantView):
    """The streams of an organisation."""

    @extend_schema(
        operation_id="streams_list",
        parameters=[AFTER],
        responses={200: StreamList, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List 200 streams by name, without their definitions."""
        asked = read_query(request, ListQuery)
        return answer(StreamList([summary(each) for each in Stream.objects.filter(name__gt=asked.after)[:LISTED]]))

    @extend_schema(
        operation_id="streams_create",
        request=StreamBody,
        responses={201: StreamResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a stream; 422 with all errors of its settings and its adapter's options."""
        body = read_body(request, StreamBody)
        stream = services.create_stream(name=body.name, definition=body.definition, adapter=body.adapter)
        return answer(written_response(stream), 201)


class StreamView(TenantView):
    """One stream."""

    @extend_schema(operation_id="streams_get", responses={200: StreamResponse, **REFUSALS})
    def get(self, request: Request, slug: str, stream: UUID) -> Response:
        """Return a stream."""
        return answer(to_response(access_stream(stream)))

    @extend_schema(
        operation_id="streams_replace",
        request=StreamChange,
        responses={200: StreamResponse, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, stream: UUID) -> Response:
        """Replace a stream; open runs keep the definition with which they started.

        Queries whose current version names it get a new version with the new name; older versions keep the old name.
        """
        found = access_stream(stream)
        body = read_body(request, StreamChange)
        services.replace_stream(
            stream=found, name=body.name, definition=body.definition, adapter=body.adapter, upon=body.upon
        )
        return answer(written_response(found))

    @extend_schema(operation_id="streams_delete", responses={204: None, 409: ErrorEnvelope, **REFUSALS})
    def delete(self, request: Request, slug: str, stream: UUID) -> Response:
        """Delete a stream that no query and no binding needs; 409 lists those that need it."""
        services.delete_stream(stream=access_stream(stream))
        return Response(status=204)


class StreamUsesView(TenantView):
    """The uses of a stream."""

    @extend_schema(operation_id="streams_uses", responses={200: UseList, **REFUSALS})
    def get(self, request: Request, slug: str, stream: UUID) -> Response:
        """List the queries that name it and the bindings that read it."""
        found = access_stream(stream)
        return answer(UseList(uses_of("stream", found.pk, found.name)))


class StreamSampleView(TenantView):
    """The first rows of a stream."""

    @extend_schema(operation_id="streams_sample", responses={200: adapters.StreamSample, **REFUSALS})
    def get(self, request: Request, slug: str, stream: UUID) -> Response:
        """Read the first rows through the stream's adapter."""
        found = access_stream(stream)
        return answer(adapters.first_rows(found.read_definition(), found.read_adapter()))


class InferView(TenantView):
    """A proposal for a stream."""

    @extend_schema(
        operation_id="streams_infer",
        request=InferBody,
        responses={200: StreamInference, 409: ErrorEnvelope, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Propose fields, times, shape and delay from a sample of what an adapter reads; nothing is stored."""
        return answer(infer(read_body(request, InferBody, most_bytes=LARGE_BYTES)))


class AdaptersQuery(Strict):
    """The kinds to list: inputs, which bring rows, or outputs, which deliver results."""

    direction: Literal["in", "out"] = "in"


DIRECTION = OpenApiParameter("direction", str, enum=["in", "out"], description="out: the kinds of outputs.")


class AdaptersView(TenantView):
    """The kinds of adapter."""

    @extend_schema(
        operation_id="adapters_list",
        parameters=[DIRECTION],
        responses={200: AdapterKindList, 422: ErrorEnvelope, **REFUSALS},
    )
    def get(self, request: Request, slug: str) -> Response:
        """List the kinds with the JSON Schema of their options."""
        out = read_query(request, AdaptersQuery).direction == "out"
        return answer(AdapterKindList([_described(each) for each in (output_kinds() if out else kinds())]))


def _described(kind: InputKind | OutputKind) -> AdapterKindResponse:
    fields = kind.fields if isinstance(kind, InputKind) else None
    return AdapterKindResponse(
        kind=kind.kind,
        title=kind.title,
        help=kind.help,
        sends_ctis=isinstance(kind, InputKind) and kind.sends_ctis,
        clocked=sorted(map(str, kind.clocked)) if isinstance(kind, InputKind) else [],
        fields=None if fields is None else dict(fields),
        options_schema=kind.json_schema(),
        reads_back=isinstance(kind, OutputKind) and kind.reads_back,
    )
