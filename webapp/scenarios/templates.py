"""Use of a template: its streams, with files of its rows, its query, and its sample as a scenario."""

import json
from collections.abc import Iterator, Mapping
from typing import Final

from django.db import transaction

from streaming.definition.graph import InputNode
from streaming.definition.sql.parse import parse_sql
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from streaming.templates.catalogue import QueryTemplate, templates
from streaming.templates.renaming import OwnStream
from webapp.accounts.models import User
from webapp.core.errors import NotFound
from webapp.queries.checking import QueryDraft, drafted
from webapp.queries.models import Query
from webapp.queries.services import create_query
from webapp.queries.texts import settings_in
from webapp.scenarios.bodies import ScenarioBody
from webapp.scenarios.services import create_scenario
from webapp.scenarios.template_samples import scenario_on
from webapp.streams.access import streams_by_name
from webapp.streams.adapters import adapter_root
from webapp.streams.services import create_stream

COMMENT: Final = "From a template"


def template_named(name: str) -> QueryTemplate:
    """Return a template. Raises `NotFound` for an unknown name."""
    found = next((each for each in templates() if each.name == name), None)
    if found is None:
        raise NotFound
    return found


def take(*, template: QueryTemplate, author: User | None) -> Query:
    """Make the query of a template, with the streams that it needs and its sample as a scenario.

    A stream that the same template made before is used again. Names that are taken get a number. Raises `OverQuota`.
    """
    names = {name: _stream_name(template, name, definition) for name, definition in template.streams.items()}
    draft = _draft(template, names)
    for name, own in names.items():
        if own not in streams_by_name():
            _write_rows(template, name)
    with transaction.atomic():
        for name, own in names.items():
            if own not in streams_by_name():
                create_stream(name=own, definition=template.streams[name], adapter=_adapter(template, name))
        query = create_query(draft=draft, comment=COMMENT, author=author)
        same = {name: OwnStream(own, _as_they_are(template.streams[name])) for name, own in names.items()}
        create_scenario(query=query, body=ScenarioBody.model_validate(scenario_on(template, same)))
    return query


def free_name(template: QueryTemplate) -> str:
    """Return a free name for a query of the template: its own, or with the first free number."""
    taken = set(Query.objects.values_list("name", flat=True))
    return next(each for each in _numbered(template.name) if each not in taken)


def _as_they_are(stream: StreamDefinition) -> dict[str, str]:
    return {field: field for field in stream.fields}


def _stream_name(template: QueryTemplate, name: str, definition: StreamDefinition) -> str:
    """Return the name of an existing stream with this definition, else the first free name."""
    present = streams_by_name()
    for own in _numbered(name):
        if own not in present:
            return own
        stream = present[own]
        if stream.read_adapter() == _adapter(template, name) and stream.read_definition() == definition:
            return own
    raise AssertionError("numbers do not end")


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1


def _draft(template: QueryTemplate, names: Mapping[str, str]) -> QueryDraft:
    script = parse_sql(template.sql)
    assert script.graph is not None  # nosec B101 # a test reads each template
    nodes = [
        node.model_copy(update={"stream": names[node.stream]}) if isinstance(node, InputNode) else node
        for node in script.graph.nodes
    ]
    graph = script.graph.model_copy(update={"name": free_name(template), "nodes": nodes})
    if graph == script.graph:
        return QueryDraft(graph, template.sql, settings=settings_in(template.sql))
    made = drafted(graph, template.sql)
    return QueryDraft(graph, made.written, settings=made.settings)


def _path(template: QueryTemplate, name: str) -> str:
    return f"files/templates/{template.name}_{name}.jsonl"


def _adapter(template: QueryTemplate, name: str) -> AdapterChoice:
    return AdapterChoice(kind="rows", options={"path": _path(template, name)})


def _write_rows(template: QueryTemplate, name: str) -> None:
    """Write the rows of one stream as the adapter `rows` reads them, each with its place among all."""
    path = adapter_root() / _path(template, name).removeprefix("files/")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines, batch = [], 0
    for order, item in enumerate(template.transcript.input):
        if item == "batch" or isinstance(item, str):
            batch += 1
        elif item.stream == name:
            row = item.model_dump(mode="json", exclude_unset=True, exclude={"stream"})
            lines.append(json.dumps({**row, "batch": batch, "order": order}, ensure_ascii=False))
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
