"""Laws of files: what is written is read again, and an exported organisation applied to an empty one is the same."""

import uuid
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdapterChoice, StreamDefinition
from streaming.definition.versions.meaning import InputSettings
from tests.definition.sql.drawn.settings import EVENT_TIMES, SETTINGS
from tests.definition.sql.drawn.values import NAMES
from tests.webapp.bundles.bundle import applied, exported, plan
from tests.webapp.conftest import Person, join
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role
from webapp.bundles.effort import Effort
from webapp.bundles.exporting import binding_text, stream_text
from webapp.bundles.files import read_files
from webapp.bundles.yaml_text import read_yaml, write_yaml
from webapp.runs.bound_inputs import BoundInput
from webapp.runs.inputs.input_resolution import choose
from webapp.streams.models import Stream

TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    st.sampled_from(
        ["on", "007", "1e3", "null", "~", "", "- a", "a: b", "#x", "'", "\n", "\u2028", "\x85", "\ufeff", "1:30"]
    ),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inside: st.lists(inside) | st.dictionaries(TEXTS.filter(lambda key: key != "<<"), inside),
    max_leaves=8,
)
TYPES = st.sampled_from(["long", "double", "string", "boolean", "timestamp", "decimal(10, 2)", "array<string>"])
COLUMNS = st.fixed_dictionaries(
    {"column": TEXTS},
    optional={"unit": st.sampled_from(["s", "ms", "iso"]), "zone": st.sampled_from(["UTC", "Europe/Zurich"])},
)
DEFINITIONS = st.fixed_dictionaries(
    {"shape": st.sampled_from(["point", "interval", "edge"]), "fields": st.dictionaries(NAMES, TYPES, max_size=4)},
    optional={
        "event_time": st.fixed_dictionaries({"start": COLUMNS}, optional={"end": COLUMNS, "edge": TEXTS}),
        "rowtime": st.sampled_from(["explicit", "implicit"]),
        "lanes": st.lists(TEXTS, max_size=2, unique=True),
    },
).flatmap(
    lambda settings: SETTINGS.map(
        lambda advance: StreamDefinition.model_validate({**settings, "advance": advance.model_dump()})
    )
)
ADAPTERS = st.builds(
    AdapterChoice, kind=NAMES, options=st.dictionaries(TEXTS.filter(lambda key: key != "<<"), JSON, max_size=3)
)


@given(value=st.dictionaries(TEXTS.filter(lambda key: key != "<<"), JSON))
def test_yaml_that_was_written_is_read_again(value: dict[str, Any]) -> None:
    assert read_yaml(write_yaml(value)).value == value


@given(definition=DEFINITIONS, adapter=ADAPTERS)
def test_a_stream_that_was_written_is_read_again(definition: StreamDefinition, adapter: AdapterChoice) -> None:
    text = stream_text(definition, adapter)
    read = read_files({"streams/s.yaml": text}, Effort())
    assert read.faults == []
    _, found = read.streams["s"]
    assert list(found.fields) == list(definition.fields)
    again = StreamDefinition.model_validate(found.model_dump(exclude={"adapter"}))
    assert (again, found.adapter) == (definition, adapter)
    assert stream_text(again, found.adapter) == text


@given(data=st.data())
def test_a_binding_that_was_written_is_read_again(data: st.DataObject) -> None:
    drawn = {"advance": SETTINGS, "event_time": EVENT_TIMES}
    maybe = {name: st.none() | values.filter(_can_be_stored) for name, values in drawn.items()}
    streams = {name: Stream(name=name) for name in data.draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))}
    nodes = data.draw(st.dictionaries(NAMES, st.sampled_from(sorted(streams)), min_size=1, max_size=3))
    graph = _inputs(nodes)
    fields = {node: {name: data.draw(values) for name, values in maybe.items()} for node in nodes}
    says = InputSettings(
        {node: each["advance"] for node, each in fields.items() if each["advance"] is not None},
        {node: each["event_time"] for node, each in fields.items() if each["event_time"] is not None},
    )
    bound = {
        node: BoundInput(
            streams[data.draw(st.sampled_from(sorted(streams)))],
            *(data.draw(st.sampled_from([fields[node][name], None]) | values) for name, values in maybe.items()),
        )
        for node in nodes
    }
    text = binding_text("q", bound, graph, says, {})
    read = read_files({"bindings/b.yaml": text}, Effort())
    assert read.faults == []
    chosen, faults = choose(graph, says, read.bindings["b"][1].choices(), streams)
    assert (chosen, faults) == (bound, [])


def _can_be_stored(reported: BaseModel) -> bool:
    """The API refuses U+0000 in every text, so that none of a binding's settings holds it."""
    return "\\u0000" not in reported.model_dump_json()


def _inputs(nodes: dict[str, str]) -> QueryGraph:
    listed = [{"kind": "input", "id": node, "stream": stream} for node, stream in nodes.items()]
    return QueryGraph.model_validate({"version": 1, "name": "q", "nodes": listed})


AWKWARD = ["from", "select", "ON", "null", "true", "y", "No", "cars", "Cars", "out", "stream", "_x", "e1", "union"]
FIELDS = {"plate": "string", "speed": "double", "where": "long"}
ADVANCES: list[dict[str, Any]] = [
    {"preset": "watermark(5s)"},
    {"generate": {"every": 1, "delay": "5s"}, "late": "drop"},
    {"generate": {"every": "10s", "delay": "-1tick", "basis": "max", "final": True}, "late": "adjust"},
]
WHERES = ["speed > 120", "plate LIKE 'B%' -- so\n AND speed > 1", "`where` = 1 /* ; */", "plate = 'it\\'s; \U0001f600'"]
COMMENTS = ["", "-- first\n", "/* a ; b */ ", "-- ü 😀\n\n"]


@st.composite
def organisations(draw: st.DrawFn) -> dict[str, list[dict[str, Any]]]:
    """Sound streams, queries as text or graph over them, and bindings, in the form that the API takes."""
    names = draw(st.lists(st.sampled_from(AWKWARD), min_size=1, max_size=3, unique=True))
    streams = [{"name": name, "definition": draw(sound_streams()), "adapter": draw(sound_adapters())} for name in names]
    queries = []
    for name in draw(st.lists(st.sampled_from(AWKWARD), min_size=1, max_size=3, unique=True)):
        queries.append(draw(sound_queries(name, draw(st.sampled_from(names)))))
    bindings = []
    for name in draw(st.lists(st.sampled_from(AWKWARD), max_size=3, unique=True)):
        bindings.append({"name": name, "query": draw(st.integers(0, len(queries) - 1)), **draw(sound_inputs(names))})
    return {"streams": streams, "queries": queries, "bindings": bindings}


def sound_streams() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "shape": st.just("point"),
            "fields": st.permutations(sorted(FIELDS)).map(lambda names: {name: FIELDS[name] for name in names}),
            "event_time": st.fixed_dictionaries(
                {"start": st.fixed_dictionaries({"column": st.sampled_from(["at", "on", "007", "ü b"])})}
            ),
            "advance": st.sampled_from(ADVANCES),
        }
    )


def sound_adapters() -> st.SearchStrategy[dict[str, Any]]:
    paths = st.sampled_from(["files/cars.jsonl", "files/ü: - #.jsonl", "1e3", "on"])
    return paths.map(lambda path: {"kind": "file", "options": {"path": path, "format": "json_lines"}})


@st.composite
def sound_queries(draw: st.DrawFn, name: str, stream: str) -> dict[str, Any]:
    where, comment = draw(st.sampled_from(WHERES)), draw(st.sampled_from(COMMENTS))
    if draw(st.booleans()):
        nodes = [
            {"kind": "input", "id": "i", "stream": stream},
            {"kind": "filter", "id": draw(st.sampled_from(["where", "f"])), "input": "i", "where": where},
        ]
        nodes.append({"kind": "output", "id": "out", "input": nodes[1]["id"]})
        return {"graph": {"version": 1, "name": name, "nodes": nodes}}
    by = draw(st.sampled_from(["", " EVENTTIME BY _value.seen UNIT ms", " EVENTTIME BY `on`"]))
    advance = draw(
        st.sampled_from(["", "ADVANCE TIME i EVERY 10 DELAY 5s LATE DROP;\n", "ADVANCE TIME i PRESET watermark(7s);"])
    )
    select = f"INSERT INTO `out`\nSELECT STREAM * FROM STREAM `{stream}` AS i{by} {comment}WHERE {where}\n;"
    return {"text": f"{comment}QUERY `{name}`;\n{select} {comment}{advance}"}


@st.composite
def sound_inputs(draw: st.DrawFn, names: list[str]) -> dict[str, Any]:
    return {
        "stream": draw(st.none() | st.sampled_from(names)),
        "advance": draw(st.none() | st.sampled_from(ADVANCES)),
        "event_time": draw(st.sampled_from([None, {"path": "_value.x"}, {"path": "at", "unit": "s"}])),
        "dedicated": draw(st.booleans()),
        "freshness": draw(st.sampled_from(["5s", "200ms", "1h"])),
        "completeness": draw(st.sampled_from([99.9, 95.0, 99.999])),
        "freshness_level": draw(st.sampled_from([None, *LEVELS])),
    }


LEVELS = ({"within_s": 60, "share": 99.0}, {"within_s": 5, "share": 99.9})


def lay_out(person: Person, laid: dict[str, list[dict[str, Any]]]) -> None:
    def post(path: str, body: dict[str, Any]) -> dict[str, Any]:
        answered = person.post(path, body)
        assert answered.status_code == 201, (body, answered.content)
        made: dict[str, Any] = answered.json()
        return made

    streams = {each["name"]: post("streams/", each)["id"] for each in laid["streams"]}
    queries = [post("queries/", each) for each in laid["queries"]]
    for each in laid["bindings"]:
        query = queries[each["query"]]
        stream = each["stream"] or query["streams"][0]["name"]
        fields = {"stream": streams[stream], "advance": each["advance"], "event_time": each["event_time"]}
        body = {"name": each["name"], "query_version": query["current"]["id"], "inputs": {"i": fields}}
        own = {name: each[name] for name in ("dedicated", "freshness", "completeness", "freshness_level")}
        post("bindings/", {**body, **own})


def definitions(person: Person) -> list[Any]:
    """Return what an organisation has, without what is its own alone: ids and times."""
    own = {"id", "revision", "created_at", "updated_at", "query", "query_version", "author", "comment", "stream"}

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items() if key not in own or isinstance(each, dict)}
        return [plain(each) for each in value] if isinstance(value, list) else value

    return [plain(person.get(path).json()) for path in ("streams/", "queries/", "bindings/")]


@pytest.mark.django_db
@pytest.mark.parametrize("examples", [8, pytest.param(500, marks=pytest.mark.thorough)])
def test_an_exported_organisation_applied_to_an_empty_one_is_the_same(examples: int) -> None:
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(laid=organisations())
    def is_the_same(laid: dict[str, list[dict[str, Any]]]) -> None:
        with transaction.atomic():
            here, there = (_empty(f"law-{uuid.uuid4().hex[:12]}") for _ in range(2))
            lay_out(here, laid)
            files = exported(here)
            assert set(applied(there, files).values()) == {"create"}
            assert exported(there) == files
            assert definitions(there) == definitions(here)
            assert {each["action"] for each in plan(there, files, prune=True)["changes"]} == {"unchanged"}
            transaction.set_rollback(True)

    is_the_same()


def _empty(slug: str) -> Person:
    return join(f"{slug}@law.example", Organisation.objects.create(slug=slug, name=slug), Role.DESIGNER)
