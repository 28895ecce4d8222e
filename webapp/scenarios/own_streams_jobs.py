"""Templates on streams of an organisation, in limited processes: which fit, and what becomes of the query."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.counts import counted
from streaming.definition.faults import Fault
from streaming.definition.streams import StreamDefinition
from streaming.simulator.scenario import ScenarioFindings
from streaming.templates.catalogue import QueryTemplate, templates
from streaming.templates.fitting import InputFit, fits
from streaming.templates.renaming import OwnStream, RenamedText, renamed
from webapp.core.limited.jobs import limited
from webapp.queries.checking import examine_text, refuses
from webapp.scenarios.bodies import ScenarioBody
from webapp.scenarios.jobs import LIMITS, QueryOfStreams, judged
from webapp.scenarios.template_samples import scenario_on

_FEWER: Final = "Give the streams fewer or simpler fields, or take the template with streams of its own."


@dataclass(frozen=True)
class OwnQuery:
    """A template's query on own streams, with all faults; its scenario as JSON where it holds there. `words` say it."""

    text: str
    faults: list[Fault]
    scenario: dict[str, Any] | None
    words: str


@limited("Looking which streams fit this template", _FEWER, LIMITS)
def fitting(template: str, streams: Mapping[str, StreamDefinition]) -> list[InputFit]:
    """Return how the streams fit the inputs of a template."""
    return fits(_named(template), streams)


@limited("Writing this template for your streams", _FEWER, LIMITS)
def written(
    template: str,
    name: str,
    chosen: Mapping[str, OwnStream],
    streams: Mapping[str, StreamDefinition],
    own_ctis: Collection[str],
) -> OwnQuery:
    """Return the query of a template, called `name`, on the streams that were chosen for its inputs."""
    found = _named(template)
    text = renamed(found.sql, name, chosen)
    examined = examine_text(text.text, streams, own_ctis=own_ctis)
    if refuses(examined.faults):
        return OwnQuery(text.text, list(examined.faults), None, "The query has faults, so there is no scenario yet.")
    scenario, words = _scenario(found, text, chosen, streams)
    return OwnQuery(text.text, list(examined.faults), scenario, words)


def _named(template: str) -> QueryTemplate:
    return next(each for each in templates() if each.name == template)


def _scenario(
    template: QueryTemplate,
    text: RenamedText,
    chosen: Mapping[str, OwnStream],
    streams: Mapping[str, StreamDefinition],
) -> tuple[dict[str, Any] | None, str]:
    """The scenario where it holds on these streams, and in words whether it does."""
    scenario = scenario_on(template, chosen, text)
    findings = judged(QueryOfStreams(text.text, streams), ScenarioBody.model_validate(scenario))
    if findings.holds:
        return scenario, "The template's sample gives the same on your streams, so it comes along as a scenario."
    return None, (
        "The template's scenario does not come along, for its sample does not give the same on your streams: "
        f"{_differs(findings)}. Keep rows of your own as a scenario, in the simulator."
    )


def _differs(findings: ScenarioFindings) -> str:
    counts = [
        (len(findings.missing), "result is missing", "results are missing"),
        (len(findings.unexpected), "result more", "results more"),
        (len(findings.changed), "result differs", "results differ"),
    ]
    told = [counted(count, one, many) for count, one, many in counts if count]
    return ", ".join(told) or "; ".join(each.rstrip(".") for each in findings.other)
