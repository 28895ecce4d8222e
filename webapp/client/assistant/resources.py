"""Resources: the guide, the grammar of SQL, streams with samples, queries, scenarios, definitions as files."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote

from ..outcomes import CommandFailure, ExitCode
from .session import AssistantSession

SCHEME: Final = "punctual://"
MARKDOWN: Final = "text/markdown"
JSON: Final = "application/json"
TEXT: Final = "text/plain"
MOST_LISTED: Final = 200
MOST_NAMED: Final = 50
SAMPLE_ROWS: Final = 20


@dataclass(frozen=True)
class ListedResource:
    """A resource or, with parts in braces in its address, a template of resources."""

    uri: str
    name: str
    description: str
    kind: str


TEMPLATES: Final = (
    ListedResource(f"{SCHEME}guide/{{page}}", "guide page", "An operator, with examples and its output CTI.", MARKDOWN),
    ListedResource(f"{SCHEME}streams/{{stream}}", "stream", "Fields, event time, CTIs and late policy.", JSON),
    ListedResource(f"{SCHEME}streams/{{stream}}/sample", "sample", f"The first {SAMPLE_ROWS} rows.", JSON),
    ListedResource(f"{SCHEME}queries/{{query}}", "query", "The SQL of the newest version.", TEXT),
    ListedResource(
        f"{SCHEME}queries/{{query}}/scenarios/{{scenario}}", "scenario", "Its sample and expectation.", JSON
    ),
    ListedResource(f"{SCHEME}definitions/{{path}}", "definition", "A file such as bindings/NAME.yaml, to plan.", TEXT),
)


def listed(session: AssistantSession) -> list[ListedResource]:
    """Return the guide, streams and queries, at most 200 of each; the tool `list` has the others."""
    pages = [
        ListedResource(f"{SCHEME}guide/{each['name']}", each["title"], "A page of the guide.", MARKDOWN)
        for each in session.guide
    ]
    streams = [
        ListedResource(f"{SCHEME}streams/{quote(each.name)}", each.name, "A stream.", JSON)
        for each in session.client.streams()[:MOST_LISTED]
    ]
    queries = [
        ListedResource(f"{SCHEME}queries/{quote(each.name)}", each.name, "A query.", TEXT)
        for each in session.client.queries()[:MOST_LISTED]
    ]
    return [*pages, *streams, *queries]


@dataclass(frozen=True)
class ResourceContent:
    """The text of a resource and its media type."""

    text: str
    kind: str


def read(session: AssistantSession, uri: str) -> ResourceContent:
    """Return a resource. Raises `CommandFailure` for an unknown one."""
    parts = [unquote(part) for part in uri.removeprefix(SCHEME).split("/")]
    if uri.startswith(SCHEME):
        match parts:
            case ["guide", page]:
                return _guide(session, page)
            case ["streams", stream]:
                return _json(_stream(session, stream))
            case ["streams", stream, "sample"]:
                return _json(session.sample({"stream": {"stream": stream, "rows": SAMPLE_ROWS}}))
            case ["queries", query]:
                return ResourceContent(session.query(query).sql(), TEXT)
            case ["queries", query, "scenarios", scenario]:
                return _json(session.query(query).scenario(scenario).definition())
            case ["definitions", *path]:
                return _definition(session, "/".join(path))
    known = ", ".join(each.uri for each in TEMPLATES)
    raise CommandFailure(ExitCode.NOT_THERE, f"There is no resource {uri}. Resources are: {known}.")


def _guide(session: AssistantSession, page: str) -> ResourceContent:
    texts: Mapping[str, str] = {each["name"]: each["text"] for each in session.guide}
    return ResourceContent(_text_named(texts, page, "page"), MARKDOWN)


def _stream(session: AssistantSession, name: str) -> dict[str, Any]:
    """Return the definition of a stream and the kind of its adapter, without its options."""
    found = session.client.server.get(f"streams/{session.client.stream(name).id}/")
    return {"name": found["name"], **found["definition"], "adapter": found["adapter"]["kind"]}


def _definition(session: AssistantSession, path: str) -> ResourceContent:
    return ResourceContent(_text_named(session.client.export().files, path, "file"), TEXT)


def _text_named(texts: Mapping[str, str], name: str, kind: str) -> str:
    if name not in texts:
        known = ", ".join(list(texts)[:MOST_NAMED]) or "none"
        raise CommandFailure(ExitCode.NOT_THERE, f"There is no {kind} {name!r}. There are: {known}.")
    return texts[name]


def _json(value: Any) -> ResourceContent:
    return ResourceContent(json.dumps(value, ensure_ascii=False, indent=1), JSON)
