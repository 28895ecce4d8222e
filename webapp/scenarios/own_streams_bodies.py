"""Requests and responses of the API about templates on own streams."""

from uuid import UUID

from pydantic import Field, RootModel

from streaming.definition.faults import Fault
from streaming.definition.names import Name
from streaming.definition.strict import Strict
from webapp.queries.bodies import QueryResponse


class ChosenStream(Strict):
    """A stream for an input of a template, and its field for each field that the template reads."""

    stream: UUID
    fields: dict[Name, Name] = Field(max_length=100)


class OwnStreamsBody(Strict):
    """The streams that a template reads, by its inputs."""

    streams: dict[Name, ChosenStream] = Field(min_length=1, max_length=20)


class OfferedField(Strict):
    """A field of a stream that may replace one of the template."""

    name: str
    type: str


class FieldChoice(Strict):
    """A field that a template reads, and its possible replacements; `proposed` is a guess, `reason` explains it."""

    field: str
    type: str
    offered: list[OfferedField]
    proposed: str
    reason: str


class StreamChoice(Strict):
    """A stream of the organisation; it fits an input if `missing`, a list of sentences, is empty.

    `note` describes differences from the template, empty without any.
    """

    id: str
    name: str
    missing: list[str]
    note: str
    fields: list[FieldChoice]


class TemplateInputChoice(Strict):
    """An input of a template: its needs in words, and the streams. `proposed` is the id of the likeliest stream."""

    input: str
    needs: str
    proposed: str | None
    streams: list[StreamChoice]


class TemplateInputs(RootModel[list[TemplateInputChoice]]):
    """The inputs of a template, each with the streams of the organisation."""


class OwnQueryPreview(Strict):
    """A template's query on chosen streams, with its errors; whether it gets the scenario, also in words."""

    text: str
    faults: list[Fault]
    scenario: bool
    scenario_words: str


class OwnQueryResponse(Strict):
    """The query that was made from a template on chosen streams, and whether it got the scenario, in words."""

    query: QueryResponse
    scenario: bool
    scenario_words: str
