"""This release reads messages of the last one, with later fields too; its readers read current messages."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, TypeAdapter, ValidationError

from streaming.spark.query.manifests import Manifest
from streaming.wire.message import RELEASE, Message, is_newer
from streaming.wire.messages import RunSpec, read_lease
from streaming.wire.progress import ProgressReport
from streaming.wire.runner_record import RECORD, read_record
from tests.conftest import ROOT
from tests.wire.stored_messages import MODELS, SPEC, message

RELEASES: Final = Path(__file__).parent / "releases"
LAST: Final = "0.1.0"
STORED: Final[Mapping[str, Any]] = json.loads((RELEASES / LAST / "messages.json").read_text())
SCHEMAS: Final[Mapping[str, Any]] = json.loads((RELEASES / LAST / "schemas.json").read_text())
LATER: Final = {"later": {"release": [1]}}
PLAIN: Final = frozenset({"adapter", "begin", "clock", "outgoing", "query", "stream", "told", "totals", "advance"})
"""Fields with definitions of users or plain values, not messages."""


def extended(stored: Any, name: str = "") -> Any:
    """Return `stored` with an additional field in every message inside it."""
    if isinstance(stored, list):
        return [extended(each) for each in stored]
    if not isinstance(stored, dict) or name in PLAIN:
        return stored
    items = {key: extended(value, key) for key, value in stored.items()}
    return items if name in MAPPINGS else {**items, **LATER}


MAPPINGS: Final = frozenset(
    {"alike", "bindings", "ctis", "example", "fields", "files", "incomplete_before", "inputs", "lacking", "lanes"}
    | {"outcomes", "output_ctis", "outputs", "payload", "reasons", "runs", "types", "until", "values"}
)
"""Fields with objects that map names to messages or plain values."""


def dumped(model: BaseModel) -> Any:
    return json.loads(model.model_dump_json())


@pytest.mark.parametrize("name", sorted(MODELS))
def test_messages_of_the_last_release_are_read(name: str) -> None:
    read = dumped(MODELS[name].model_validate_json(json.dumps(STORED[name])))
    assert {key: read[key] for key in STORED[name]} == STORED[name]


@pytest.mark.parametrize("name", sorted(MODELS))
def test_fields_of_a_later_release_are_ignored_at_every_depth(name: str) -> None:
    later = extended(STORED[name])
    assert later != STORED[name]
    read = dumped(MODELS[name].model_validate_json(json.dumps(later)))
    assert {key: read[key] for key in STORED[name]} == STORED[name]


@pytest.mark.parametrize("name", sorted(MODELS))
def test_readers_of_the_last_release_read_current_messages(name: str) -> None:
    instance = message(name)
    without_defaults = isinstance(instance, Message) and name in WITHOUT_DEFAULTS
    written = instance.to_json() if without_defaults else instance.model_dump_json()
    if isinstance(instance, ProgressReport):
        written = instance.to_redis(1)
    Draft202012Validator(SCHEMAS[name]).validate(json.loads(written))
    assert MODELS[name].model_validate_json(written) == instance


WITHOUT_DEFAULTS: Final = frozenset({"delivery_observed", "incident", "run_spec"})
"""The messages that are written by `Message.to_json`."""


def test_the_schemas_are_those_of_readers_that_refuse_unknown_fields() -> None:
    """Otherwise the previous test could not fail."""
    assert not Draft202012Validator(SCHEMAS["lease"]).is_valid({**STORED["lease"], **LATER})


def test_every_message_is_stored() -> None:
    assert STORED.keys() == SCHEMAS.keys() == MODELS.keys()
    schemas = [TypeAdapter(model).json_schema() for model in MODELS.values()]
    stored = {name for schema in schemas for name in (schema["title"], *schema.get("$defs", ()))}
    missing = {each.__name__ for each in _messages(Message)} - stored
    assert missing <= OTHERS, "store it in stored_messages.py"


OTHERS: Final = frozenset(
    {
        "ArchiveManifest",
        "Configuration",
        "JournalEntry",
        "PageNote",
        "TableMark",
        "SeamRecord",
        "TableLoad",
        "SeenSnapshot",
        "ReadFrom",
        "ChangesMark",
        "PartitionMark",
        "LogMark",
        "TakenBatch",
        "InputDetail",
        "LagParts",
        "LaneDetail",
        "LargestLag",
        "RunDetail",
    }
    | {"StandbyNote", "StandbysInVain", "RunState", "StartStep", "InputSample", "RunSample", "Reading"}
    | {"InputBuckets", "BucketSample", "Notification", "NotifiedAlert"}
    | {"LateResponse", "ResultResponse", "SubscribedRow", "DeliveryResponse"}
)
"""Notes of a process for itself and its successors, and generic bases."""


def _messages(base: type[Message]) -> Iterator[type[Message]]:
    for each in base.__subclasses__():
        if each.__module__.startswith(("streaming.", "webapp.")) and "[" not in each.__name__:
            yield each
        yield from _messages(each)


@pytest.mark.parametrize("place", [("query",), ("inputs", "cars", "stream"), ("inputs", "cars", "adapter")])
def test_a_definition_with_an_unknown_field_is_refused(place: tuple[str, ...]) -> None:
    """The field means something to its writer: a run that ignored it would compute other results."""
    content = json.loads(json.dumps(SPEC))
    definition = content
    for name in place:
        definition = definition[name]
    definition.update(LATER)
    with pytest.raises(ValidationError):
        RunSpec.model_validate_json(json.dumps(content))


def test_a_manifest_of_the_last_release_is_read_with_fields_of_a_later_one() -> None:
    content = (RELEASES / LAST / "manifest.json").read_bytes()
    known = Manifest.of_json(content)
    assert (known.batch, known.runs["r1"].state, known.saved[0].binding) == (7, "running", "b2")
    assert known.bindings["b1#1"].inputs["cars"]["0"].received == 5
    line, _, reports = content.partition(b"\n")
    later = json.loads(line) | LATER
    for each in (*later["changes"], *later["saved"], *later["runs"].values(), *later["bindings"].values()):
        each.update(LATER)
    later["bindings"]["b1#1"]["inputs"]["cars"]["0"].update(LATER)
    later["bindings"]["b1#1"]["since"]["inputs"]["cars"].update(LATER)
    assert Manifest.of_json(json.dumps(later).encode() + b"\n" + reports) == known


@pytest.mark.parametrize(
    ("content", "token"),
    [
        ('{"token": "t", "held_by": {"host": "h"}}', "t"),
        ('{"token": "t", "host": "h", "pid": "seven", "started_at": 1, "beat_at": 2}', "t"),
        ('{"token": 7}', ""),
        ("[]", ""),
        ("packed", ""),
    ],
)
def test_an_unreadable_lease_is_that_of_a_newer_runner(content: str, token: str) -> None:
    lease = read_lease(content)
    assert (lease.unread, lease.token, lease.host) == (True, token, "")


def test_a_lease_of_a_later_release_with_more_fields_is_read() -> None:
    lease = read_lease(json.dumps({**STORED["lease"], **LATER}))
    assert (lease.unread, lease.pid, lease.host) == (False, 7, "h")


def test_a_runner_s_record_with_more_fields_names_the_process(tmp_path: Path) -> None:
    (tmp_path / RECORD).write_text(json.dumps({"token": "t", "pid": 7, "started": 1.5, **LATER}))
    record = read_record(tmp_path)
    assert record is not None
    assert (record.token, record.pid, record.started) == ("t", 7, 1.5)


def test_the_release_is_that_of_the_package() -> None:
    assert f'version = "{RELEASE}"' in (ROOT / "pyproject.toml").read_text()
    assert [is_newer(each) for each in ("0.1.1", "0.10.0", "1.0", RELEASE, "0.0.9", None)] == [True] * 3 + [False] * 3
