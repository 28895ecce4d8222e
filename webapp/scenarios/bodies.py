"""Requests and responses of the API about scenarios."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, RootModel, model_validator

from streaming.definition.names import Name
from streaming.definition.streams.stream import AdvanceTimeSettings
from streaming.definition.strict import Strict
from streaming.simulator.samples.scenario import Expect, ScenarioFindings
from webapp.core.names import PlainName
from webapp.queries.simulation.bodies import SampleBody


class ScenarioBody(Strict):
    """A scenario: its sample, settings by input that replace the query's, and the expected results."""

    name: PlainName = Field(min_length=1, max_length=200)
    sample: SampleBody
    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict)
    expect: Expect


class ObserveBody(Strict):
    """A query as text and a sample, for which the results are requested as an expectation to choose from."""

    text: str
    sample: SampleBody
    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict)


class TranscriptText(Strict):
    """A transcript as YAML."""

    transcript: str


class TranscriptRead(Strict):
    """The scenario of a transcript, not stored yet; `notes` list the parts of the transcript that are ignored."""

    scenario: ScenarioBody
    notes: list[str]


class RunBody(Strict):
    """The target of a run: a stored version, which stores the verdicts, or a draft text. `only`: one scenario."""

    version: UUID | None = None
    text: str | None = None
    only: UUID | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.version is None) == (self.text is None):
            raise ValueError("send either version or text")
        return self


class VerdictResponse(Strict):
    """The result of a scenario on a version (its number; null: a draft text). `ran_at` is ISO text."""

    scenario: str
    version: int | None
    ran_at: str
    findings: ScenarioFindings


class VerdictList(RootModel[list[VerdictResponse]]):
    """The result of each scenario of a run."""


class ScenarioSummary(Strict):
    """A scenario in a list. `verdict` belongs to the current version; null: not run since something changed."""

    id: str
    name: str
    rows: int
    expected: int
    author: str
    changed_at: str
    verdict: VerdictResponse | None


class ScenarioList(RootModel[list[ScenarioSummary]]):
    """The scenarios of a query by name."""


class ScenarioResponse(ScenarioBody):
    """A stored scenario, whole."""

    id: str
    query: str


class VersionVerdicts(Strict):
    """The number of scenarios that pass on a version, differ, and have no current verdict."""

    version: Annotated[int, Field(ge=1)]
    green: int
    red: int
    unknown: int


class VersionVerdictList(RootModel[list[VersionVerdicts]]):
    """The newest 100 versions of a query with scenarios, newest first; empty without scenarios."""
