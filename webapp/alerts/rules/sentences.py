"""Sentences about rules: the event, since when, and what to do."""

from datetime import UTC, datetime

from streaming.definition.counts import counted
from webapp.accounts.limits.quotas import in_words
from webapp.alerts.rules.evaluation import TICKS_PER_S, RuleState, Threshold
from webapp.alerts.rules.table import Rule, Unit


def sentence(rule: Rule, name: str, state: RuleState) -> str:
    """Return the sentence about a rule that is pending or firing, about the binding or organisation `name`."""
    value, rows, detail = state.value or 0.0, state.rows, state.detail
    since = began(rule, state)
    happens = rule.happens.format(
        name=name,
        value=written(value, rule.unit),
        rows=counted(rows, "row") if rule.name != "failed_rows" else f"{rows:,}",
        minutes=counted(rows, "minute"),
        detail=detail or "its output",
        since="now" if since is None else instant(since),
    )
    return " ".join(f"{happens.strip()} {rule.remedy}".split())


def began(rule: Rule, state: RuleState) -> int | None:
    """Return the start of the condition: a value that is an age has it exactly."""
    if rule.is_age and state.value is not None and state.decided_at is not None:
        return state.decided_at - round(state.value * TICKS_PER_S)
    return state.since


def written(value: float, unit: Unit) -> str:
    """Format a value for people, for example `2.3 %`, `5 min` or `1 row`."""
    if unit is Unit.SECONDS:
        return duration(value)
    if unit is Unit.SHARE:
        return f"{value * 100:.3g} %"
    if unit is Unit.BYTES:
        return in_words(round(value))
    if unit is Unit.TIMES:
        return " ".join((f"{value:.3g}", "times"))
    number = round(value)
    nouns = {Unit.ROWS: "row", Unit.REQUESTS: "request", Unit.SCENARIOS: "scenario", Unit.RESTARTS: "time"}
    return counted(number, nouns[unit])


def duration(seconds: float) -> str:
    """Format seconds in at most two units, for example `45 s`, `2 min`, `3 h 5 min` or `2 d 4 h`."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    parts = [(whole // 86_400, "d"), (whole // 3_600 % 24, "h"), (whole // 60 % 60, "min")]
    first = next(index for index, (number, _) in enumerate(parts) if number)
    return " ".join(f"{number} {unit}" for number, unit in parts[first : first + 2] if number)


def instant(tick: int) -> str:
    """Format a tick as a time in UTC, to the minute."""
    return datetime.fromtimestamp(tick / TICKS_PER_S, UTC).strftime("%Y-%m-%d %H:%M UTC")


def limit_in_words(threshold: Threshold, unit: Unit) -> str:
    """Format a limit, for example `1 % and 100 rows` or `3 min for 3 min`."""
    rows = f" and {counted(threshold.rows, 'row')}" if threshold.rows else ""
    lasting = f" for {duration(threshold.for_s)}" if threshold.for_s else ""
    return f"{written(threshold.at, unit)}{rows}{lasting}"
