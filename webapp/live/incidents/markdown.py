"""An incident as Markdown, for a post-mortem."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from streaming.definition.counts import counted
from webapp.alerts.models import Incident
from webapp.alerts.rules.sentences import duration
from webapp.audit.redaction import safe_text
from webapp.live.incidents.figures import IncidentFigures, outcomes_of
from webapp.live.incidents.timeline import TimelineEntry
from webapp.monitoring.reading import TICKS_PER_S
from webapp.runs.states import IN_NO_RESULT

_MARKUP: Final = re.compile(r"([\\`*_\[\]<>|#!~&])")


def incident_as_markdown(
    incident: Incident, figures: IncidentFigures | None, timeline: Sequence[TimelineEntry], now: int, left_out: bool
) -> str:
    """Return an incident as one Markdown document; markup in texts of people is escaped, tokens are concealed."""
    lines = [*_head(incident, now), *(() if figures is None else _figures(figures)), *_timeline(timeline, left_out)]
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """Return a text as it appears in Markdown, on one line, without tokens."""
    return _MARKUP.sub(r"\\\1", " ".join(safe_text(text).split()))


def _instant(tick: int) -> str:
    at = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=tick)
    return f"{at:%Y-%m-%d %H:%M:%S}"


def _span(ticks: int) -> str:
    return duration(ticks / TICKS_PER_S)


def _head(incident: Incident, now: int) -> Iterator[str]:
    about = "" if incident.binding is None else f" on {plain(incident.binding.name)}"
    yield f"# Incident {incident.number}: {plain(incident.title)}{about}"
    yield ""
    yield f"As of {_instant(now)}. All times are UTC."
    yield ""
    yield f"- Began: {_instant(incident.begin)}"
    by = plain(incident.opened_by) if incident.opened_by else "a rule"
    yield f"- Opened: {_instant(incident.opened_at)}, by {by}"
    yield f"- Taken by: {plain(incident.taken_by) or 'nobody'}"
    if incident.resolved_at is None:
        yield f"- Open for {_span(now - incident.begin)}"
        return
    by = f"by {plain(incident.resolved_by)}" if incident.resolved_by else "when its last rule resolved"
    yield f"- Resolved: {_instant(incident.resolved_at)}, {by}, after {_span(incident.resolved_at - incident.begin)}"
    if incident.resolution:
        yield f"- Resolution: {plain(incident.resolution)}"


def _figures(figures: IncidentFigures) -> Iterator[str]:
    begin, end = figures.span
    yield from ("", "## Rows", "")
    yield f"From {_instant(begin)} to {_instant(end)}, as the page of the query counts them in this range."
    yield from ("", "| Rows | Number |", "|---|---:|", f"| Received | {figures.counts.received:,} |")
    yield f"| In no result | {figures.lost:,} |"
    for outcome, rows in outcomes_of(figures.counts).items():
        yield f"| {outcome.replace('_', ' ').capitalize()} | {rows:,} |"
    yield f"| Repaired since {_instant(begin)} | {figures.repaired:,} |"
    for lane in figures.by_lane.lanes:
        name = "other lanes" if lane.lane is None else f"lane {plain(lane.lane)}"
        yield f"| Dropped in {name} of {plain(lane.input)} | {lane.dropped:,} |"
    yield ""
    lanes = figures.by_lane
    if lanes.lanes:
        yield f"Lanes are counted from {_instant(lanes.begin)} to {_instant(lanes.end)}."
    budget = figures.budget.budget
    left = f"broken by {counted(-budget.left, 'row')}" if budget.left < 0 else f"{counted(budget.left, 'row')} left"
    yield f"Loss budget of 30 days: {left}, of {budget.rows:,}."
    for a, b in figures.unknown:
        yield f"Not known: reports from {_instant(a)} to {_instant(b)} may be missing."
    yield from _losses(figures)


def _losses(figures: IncidentFigures) -> Iterator[str]:
    around = figures.around
    lossy = [step for step in around.steps if step.counts.of(IN_NO_RESULT) or step.knowledge == "unknown"]
    if not lossy:
        return
    yield from ("", f"## Rows lost in each {_span(around.step)}", "", "| From (UTC) | Rows lost |", "|---|---:|")
    for step in lossy:
        note = ", reports may be missing" if step.knowledge == "unknown" else ""
        yield f"| {_instant(step.at)} | {step.counts.of(IN_NO_RESULT):,}{note} |"


def _timeline(timeline: Sequence[TimelineEntry], left_out: bool) -> Iterator[str]:
    yield from ("", "## Timeline", "")
    if left_out:
        yield from ("Earlier entries are left out.", "")
    yield from ("| Mark | Time (UTC) | Who | Event | Remark |", "|---|---|---|---|---|")
    for each in timeline:
        end = "" if each.end is None else f" to {_instant(each.end)}"
        near = None if each.before_loss is None else f"{_span(each.before_loss)} before the first lost row"
        remark = ", ".join(filter(None, (each.remark, near)))
        who = plain(each.who) or "Punctual"
        yield f"| {each.mark} | {_instant(each.at)}{end} | {who} | {plain(each.text)} | {plain(remark)} |"
