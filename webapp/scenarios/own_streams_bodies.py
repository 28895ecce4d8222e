"""What is sent to the API about templates on own streams, and what it answers."""

from uuid import UUID

from pydantic import Field, RootModel

from streaming.definition.faults import Fault
from streaming.definition.names import Name
from streaming.definition.strict import Strict
from webapp.queries.bodies import QueryShown


class ChosenStream(Strict):
    """A stream for an input of a template, and its field for each field that the template reads."""

    stream: UUID
    fields: dict[Name, Name] = Field(max_length=100)


class OwnStreamsBody(Strict):
    """Which streams a template reads, by its inputs."""

    streams: dict[Name, ChosenStream] = Field(min_length=1, max_length=20)


class OfferedField(Strict):
    """A field of a stream that may stand for one of a template."""

    name: str
    type: str


class FieldChoice(Strict):
    """A field that a template reads: what may stand for it, of which `proposed` is a guess, and `reason` says why."""

    field: str
    type: str
    offered: list[OfferedField]
    proposed: str
    reason: str


class StreamChoice(Strict):
    """A stream of the organisation, and whether it fits an input: where nothing is `missing`, sentences.

    `note` is what will be otherwise than in the template, empty where nothing is.
    """

    id: str
    name: str
    missing: list[str]
    note: str
    fields: list[FieldChoice]


class TemplateInputChoice(Strict):
    """An input of a template: what it needs, in words; the streams there are. `proposed` is the id of the likeliest."""

    input: str
    needs: str
    proposed: str | None
    streams: list[StreamChoice]


class TemplateInputs(RootModel[list[TemplateInputChoice]]):
    """The inputs of a template, each with the streams of the organisation."""


class OwnQueryPreview(Strict):
    """A template's query on chosen streams, with its faults; whether its scenario comes along, said in words."""

    text: str
    faults: list[Fault]
    scenario: bool
    scenario_words: str


class OwnQueryShown(Strict):
    """The query that was made of a template on chosen streams, and whether its scenario came along, in words."""

    query: QueryShown
    scenario: bool
    scenario_words: str
