"""What is sent to the API about scenarios, and what it answers."""

from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, RootModel, model_validator

from streaming.definition.names import Name
from streaming.definition.streams import AdvanceTimeSettings
from streaming.definition.strict import Strict
from streaming.simulator.scenario import Expect, ScenarioFindings
from webapp.core.names import PlainName
from webapp.queries.simulation_bodies import SampleBody


class ScenarioBody(Strict):
    """A scenario: its sample, settings by input that replace the query's, and what must come out."""

    name: PlainName = Field(min_length=1, max_length=200)
    sample: SampleBody
    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict)
    expect: Expect


class ObserveBody(Strict):
    """A query as text and a sample: what comes out is asked for, as an expectation to choose from."""

    text: str
    sample: SampleBody
    advance: dict[Name, AdvanceTimeSettings] = Field(default_factory=dict)


class TranscriptText(Strict):
    """A transcript as YAML."""

    transcript: str


class TranscriptRead(Strict):
    """A scenario that a transcript says, not stored yet; `notes` say what of the transcript is not in it."""

    scenario: ScenarioBody
    notes: list[str]


class RunBody(Strict):
    """What is run: a stored version, which keeps the verdicts, or a text that is not stored. `only` one scenario."""

    version: UUID | None = None
    text: str | None = None
    only: UUID | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.version is None) == (self.text is None):
            raise ValueError("send either version or text")
        return self


class VerdictShown(Strict):
    """What came of a scenario on a version (its number; null: a text that is not stored). `ran_at` is ISO text."""

    scenario: str
    version: int | None
    ran_at: str
    findings: ScenarioFindings


class VerdictList(RootModel[list[VerdictShown]]):
    """What came of each scenario that was run."""


class ScenarioSummary(Strict):
    """A scenario in a list. `verdict` is of the current version; null: not run since something changed."""

    id: str
    name: str
    rows: int
    expected: int
    author: str
    changed_at: str
    verdict: VerdictShown | None


class ScenarioList(RootModel[list[ScenarioSummary]]):
    """The scenarios of a query by name."""


class ScenarioShown(ScenarioBody):
    """A stored scenario, whole."""

    id: str
    query: str


class VersionVerdicts(Strict):
    """How many scenarios hold on a version, differ, and have no verdict that still counts."""

    version: Annotated[int, Field(ge=1)]
    green: int
    red: int
    unknown: int


class VersionVerdictList(RootModel[list[VersionVerdicts]]):
    """The newest 100 versions of a query that has scenarios, newest first; none where it has none."""
