"""Streams over HTTP: list, create, read, replace, delete, sample; and the kinds of adapter."""

from typing import Any, Literal
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from pydantic import RootModel
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.adapters.kinds import InputKind, OutputKind
from streaming.adapters.registry import kinds, output_kinds
from streaming.definition.names import Name
from streaming.definition.streams import AdapterChoice, StreamDefinition
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.audit.revisions import revision_of
from webapp.core.api import answer, read_body, read_query
from webapp.core.errors import ErrorEnvelope
from webapp.core.uses import UseList, uses_of
from webapp.streams import adapters, services
from webapp.streams.access import access_stream
from webapp.streams.inferring import InferBody, StreamInference, infer
from webapp.streams.models import Stream
from webapp.streams.sealing import concealed


class StreamBody(Strict):
    """A stream as it is created or replaced."""

    name: Name
    definition: StreamDefinition
    adapter: AdapterChoice


class StreamChange(StreamBody):
    """A stream as it is replaced; with `upon`, the `revision` that was seen, 409 if it has changed since."""

    upon: str | None = None


class StreamShown(Strict):
    """A stream. Times are ISO text in UTC; `revision` is another after each change."""

    id: str
    revision: str
    name: str
    definition: StreamDefinition
    adapter: AdapterChoice
    created_at: str
    updated_at: str


class StreamList(RootModel[list[StreamShown]]):
    """The streams of an organisation by name."""


class AdapterKindShown(Strict):
    """A kind of adapter and the JSON Schema of its options, from which a form is drawn.

    `fields` are those that it produces, by name and type; null where the data decide, and for kinds of outputs.
    `reads_back`: what goes to an output of this kind can be shown again. `clocked` are the shapes of streams for which
    CTIs come with all that it gives, so that none need be generated.
    """

    kind: str
    title: str
    help: str
    sends_ctis: bool
    fields: dict[str, str] | None
    options_schema: dict[str, Any]
    reads_back: bool
    clocked: list[str]


class AdapterKindList(RootModel[list[AdapterKindShown]]):
    """Every kind of adapter that this installation has."""


def shown(stream: Stream) -> StreamShown:
    """Return `stream` as the API shows it."""
    return StreamShown(
        id=str(stream.pk),
        revision=revision_of(stream.stored()),
        name=stream.name,
        definition=stream.read_definition(),
        adapter=concealed(stream.read_adapter()),
        created_at=stream.created_at.isoformat(),
        updated_at=stream.updated_at.isoformat(),
    )


REFUSALS: dict[int, Any] = {401: ErrorEnvelope, 403: ErrorEnvelope, 404: ErrorEnvelope}


class StreamsView(TenantView):
    """The streams of an organisation."""

    @extend_schema(operation_id="streams_list", responses={200: StreamList, **REFUSALS})
    def get(self, request: Request, slug: str) -> Response:
        """List the streams by name."""
        return answer(StreamList([shown(stream) for stream in Stream.objects.all()]))

    @extend_schema(
        operation_id="streams_create",
        request=StreamBody,
        responses={201: StreamShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a stream; 422 with all faults of its settings and its adapter's options."""
        body = read_body(request, StreamBody)
        stream = services.create_stream(name=body.name, definition=body.definition, adapter=body.adapter)
        return answer(shown(stream), 201)


class StreamView(TenantView):
    """One stream."""

    @extend_schema(operation_id="streams_get", responses={200: StreamShown, **REFUSALS})
    def get(self, request: Request, slug: str, stream: UUID) -> Response:
        """Return a stream."""
        return answer(shown(access_stream(stream)))

    @extend_schema(
        operation_id="streams_replace",
        request=StreamChange,
        responses={200: StreamShown, 409: ErrorEnvelope, 422: ErrorEnvelope, **REFUSALS},
    )
    def put(self, request: Request, slug: str, stream: UUID) -> Response:
        """Replace a stream; runs that are under way keep what they started with.

        Queries whose current version names it follow a new name with a new version; older versions keep the old name.
        """
        found = access_stream(stream)
        body = read_body(request, StreamChange)
        services.replace_stream(
            stream=found, name=body.name, definition=body.definition, adapter=body.adapter, upon=body.upon
        )
        return answer(shown(found))

    @extend_schema(operation_id="streams_delete", responses={204: None, 409: ErrorEnvelope, **REFUSALS})
    def delete(self, request: Request, slug: str, stream: UUID) -> Response:
        """Delete a stream that no query and no binding needs; 409 lists those that do."""
        services.delete_stream(stream=access_stream(stream))
        return Response(status=204)


class StreamUsesView(TenantView):
    """What depends on a stream."""

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
    """What a stream could be."""

    @extend_schema(
        operation_id="streams_infer",
        request=InferBody,
        responses={200: StreamInference, 409: ErrorEnvelope, 422: ErrorEnvelope, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Propose fields, times, shape and delay from a sample of what an adapter reads; nothing is stored."""
        return answer(infer(read_body(request, InferBody)))


class AdaptersAsked(Strict):
    """Which kinds are asked for: those that bring rows, or those to which results are brought."""

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
        out = read_query(request, AdaptersAsked).direction == "out"
        return answer(AdapterKindList([_described(each) for each in (output_kinds() if out else kinds())]))


def _described(kind: InputKind | OutputKind) -> AdapterKindShown:
    fields = kind.fields if isinstance(kind, InputKind) else None
    return AdapterKindShown(
        kind=kind.kind,
        title=kind.title,
        help=kind.help,
        sends_ctis=isinstance(kind, InputKind) and kind.sends_ctis,
        clocked=sorted(map(str, kind.clocked)) if isinstance(kind, InputKind) else [],
        fields=None if fields is None else dict(fields),
        options_schema=kind.json_schema(),
        reads_back=isinstance(kind, OutputKind) and kind.reads_back,
    )
