"""The registry: every kind has a form with help texts, refuses unknown options, and can be previewed."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from streaming.adapters.contract import AdapterError
from streaming.adapters.file_output.options import FileOutputOptions
from streaming.adapters.kinds import InputKind, OutputKind
from streaming.adapters.preview import check, sample
from streaming.adapters.registry import input_adapter, kinds, output_kinds, sends_ctis
from streaming.definition.strict import Strict
from streaming.temporal.outcomes import Reason
from streaming.wire.rows.row_json import MalformedRow
from tests.adapters.inputs import POINTS, files, write


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.kind)
def test_every_option_has_a_title_and_a_help_text(kind: InputKind) -> None:
    schema = kind.json_schema()
    assert schema["additionalProperties"] is False
    assert kind.help.endswith(".")
    for name, option in schema["properties"].items():
        assert option["title"] != name, name
        assert option["description"].endswith("."), name


@pytest.mark.parametrize(
    "options", [*(kind.options for kind in kinds()), FileOutputOptions], ids=lambda options: options.__name__
)
def test_only_the_listed_options_exist(options: type[Strict]) -> None:
    assert issubclass(options, Strict)
    schema = options.model_json_schema()
    for model in (schema, *schema.get("$defs", {}).values()):
        assert model.get("type") != "object" or model["additionalProperties"] is False, model["title"]
    with pytest.raises(ValidationError) as caught:
        options.model_validate({"__class__": "x", "os.system": "x", "unlisted": 1})
    refused = {fault["loc"] for fault in caught.value.errors() if fault["type"] == "extra_forbidden"}
    assert refused == {("__class__",), ("os.system",), ("unlisted",)}


def test_the_kinds_report_whether_they_send_ctis() -> None:
    assert sends_ctis("file")
    assert not sends_ctis("generator")


def test_the_generator_reports_its_fields() -> None:
    fields = {kind.kind: kind.fields for kind in kinds()}
    assert fields["generator"] is not None
    assert fields["generator"]["speed"] == "double"
    assert fields["file"] is None


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        (
            "kafkaa",
            {},
            "no adapter 'kafkaa'. Choose from file, generator, kafka, postgresql, postgresql_changes, push, binding,",
        ),
        ("kafka", {"brokers": "b", "topic": "t", "fetch.max.bytes": 1}, "fetch.max.bytes: Unknown field"),
        ("file", {}, "path: This is missing"),
        ("file", {"path": "a", "folow": True}, "folow: Unknown field"),
        ("file", {"path": "a", "delimiter": ";;"}, "delimiter"),
        ("rows", {"path": ""}, "path"),
    ],
)
def test_invalid_options_are_refused(tmp_path: Path, kind: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(AdapterError, match=message):
        input_adapter(kind, options, POINTS, tmp_path)


def test_a_check_reads_the_first_row_and_reports_problems(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "ts,k\n1,a\n")
    with pytest.raises(AdapterError, match="no column 'v'"):
        check(files(tmp_path), now=0)
    check(files(write(tmp_path / "b" / "b.csv", "ts,k,v\n1,a,1\n").parent), now=0)


def test_a_sample_shows_the_first_rows_with_their_problems(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", "ts,k,v\n1,a,1\nx,b,2\n3,c,3\n", modified_s=1)
    write(tmp_path / "b.csv", "ts,k,v\n4,d,4\n", modified_s=2)
    shown = sample(files(tmp_path), 2, now=0)
    assert [(row.lane, row.position, row.raw) for row in shown] == [("0", 0, "1,a,1"), ("0", 1, "x,b,2")]
    assert shown[1].element == MalformedRow(Reason.BAD_TIME)
    assert len(sample(files(tmp_path), 99, now=0)) == 4


def test_a_sample_of_transcript_rows_crosses_batches(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", "".join(f'{{"start": {i}, "batch": {i}}}\n' for i in range(5)))
    adapter = input_adapter("rows", {"path": "a.jsonl"}, POINTS, tmp_path)
    assert len(sample(adapter, 3, now=0)) == 3
    assert len(sample(adapter, 9, now=0)) == 5


@pytest.mark.parametrize("kind", [*kinds(), *output_kinds()], ids=lambda kind: f"{type(kind).__name__}-{kind.kind}")
def test_options_are_shown_only_with_values_that_other_options_may_have(kind: InputKind | OutputKind) -> None:
    options = kind.json_schema()["properties"]
    for name, option in options.items():
        conditions = option.get("x-shown-with", [])
        known = [each for each in conditions if options.keys() >= each.keys()]
        assert len(known) > 0 or not conditions, f"{name} would never be shown"
        for other, values in ((other, values) for each in known for other, values in each.items()):
            assert set(values) <= {*options[other].get("enum", values if options[other].get("type") == "array" else ())}
