"""Templates on streams of an organisation, in limited processes: the fitting streams, and the resulting query."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.counts import counted
from streaming.definition.faults import Fault
from streaming.definition.streams.stream import StreamDefinition
from streaming.simulator.samples.scenario import ScenarioFindings
from streaming.templates.catalogue import QueryTemplate, templates
from streaming.templates.fitting import InputFit, fits
from streaming.templates.renaming import OwnStream, RenamedText, renamed
from webapp.core.limited.jobs import limited
from webapp.queries.checking import examine_text, refuses
from webapp.scenarios.bodies import ScenarioBody
from webapp.scenarios.jobs import LIMITS, QueryOfStreams, judged
from webapp.scenarios.template_samples import scenario_on

_FEWER: Final = "Give the streams fewer or simpler fields, or use the template with streams of its own."


@dataclass(frozen=True)
class OwnQuery:
    """A template's query on own streams, with all errors; its scenario as JSON if it passes, and why in `words`."""

    text: str
    faults: list[Fault]
    scenario: dict[str, Any] | None
    words: str


@limited("Matching your streams to this template", _FEWER, LIMITS)
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
        return OwnQuery(text.text, list(examined.faults), None, "The query has errors, so there is no scenario yet.")
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
    """Return the scenario if it passes on these streams, and the outcome in words."""
    scenario = scenario_on(template, chosen, text)
    findings = judged(QueryOfStreams(text.text, streams), ScenarioBody.model_validate(scenario))
    if findings.holds:
        return scenario, "The template's sample gives the same results on your streams, so it is added as a scenario."
    return None, (
        "The template's scenario is not added, because its sample gives other results on your streams: "
        f"{_differs(findings)}. Save your own rows as a scenario in the simulator."
    )


def _differs(findings: ScenarioFindings) -> str:
    counts = [
        (len(findings.missing), "result is missing", "results are missing"),
        (len(findings.unexpected), "result more", "results more"),
        (len(findings.changed), "result differs", "results differ"),
    ]
    differences = [counted(count, one, many) for count, one, many in counts if count]
    return ", ".join(differences) or "; ".join(each.rstrip(".") for each in findings.other)
