"""The sample of a template as a scenario on streams of an organisation, with their names."""

from collections.abc import Mapping
from typing import Any

from streaming.templates.catalogue import QueryTemplate
from streaming.templates.renaming import FieldNames, OwnStream, RenamedText


def scenario_on(
    template: QueryTemplate, streams: Mapping[str, OwnStream], renamed: RenamedText | None = None
) -> dict[str, Any]:
    """Return the JSON of a `ScenarioBody`: the template's rows and their results, on `streams` by its inputs.

    Fields that `streams` do not name are left out of rows; `renamed` contains the new names of outputs and columns.
    """
    sample = template.transcript.model_dump(mode="json", exclude_unset=True)
    rows = [row if row == "batch" else _row(row, streams[row["stream"]]) for row in sample["input"]]
    expect = sample["expect"]
    late = [{**each, "stream": streams[each["stream"]].name} for each in expect.get("late") or []]
    events = [_event(each, renamed) for each in expect["events"]]
    return {
        "name": template.head.title,
        "sample": {"rows": rows, "end": str(template.transcript.end)},
        "advance": {},
        "expect": {**expect, "events": events, "late": late},
    }


def _row(row: Mapping[str, Any], stream: OwnStream) -> dict[str, Any]:
    payload = {"payload": _called(row["payload"], stream.fields)} if "payload" in row else {}
    return {**row, "stream": stream.name, **payload}


def _event(event: Mapping[str, Any], renamed: RenamedText | None) -> dict[str, Any]:
    if renamed is None:
        return dict(event)
    output = event.get("output") or next(iter(renamed.outputs))
    named = {"output": renamed.outputs[output]} if event.get("output") else {}
    return {**event, **named, "payload": _called(event["payload"], renamed.columns[output])}


def _called(payload: Mapping[str, Any], names: FieldNames) -> dict[str, Any]:
    return {names[field]: value for field, value in payload.items() if field in names}
