"""The table of messages matches what feed, stages and sink do."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest

from streaming.engine.exchange.envelopes import EnvelopeKind, OperatorOutput
from streaming.spark.messages.carrier_messages import (
    MESSAGES,
    OF_BATCH,
    MessageKind,
    MessageSender,
    SinkAction,
    StageHandling,
    StrayMessage,
    concerns,
    passes_on,
)
from streaming.spark.messages.envelope import CarrierMessage
from streaming.spark.sink import part_files
from streaming.spark.sink.part_files import TaskSink
from streaming.spark.source import feed_binding
from streaming.spark.stage import stage
from tests.spark.loop import Loop
from tests.spark.planning.test_changing_carriers import save
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import add

TO_OPERATORS = {MessageKind(kind) for kind in get_args(EnvelopeKind)}
OF_OUTPUTS = set(stage._KINDS.values())
READ = {StageHandling.READS, StageHandling.READS_AND_PASSES, StageHandling.READS_FOR_BOTH}


def sent_by(module: ModuleType) -> set[MessageKind]:
    """Return the kinds that `module` names where it makes a message."""
    calls = [node for node in ast.walk(ast.parse(inspect.getsource(module))) if isinstance(node, ast.Call)]
    makes = [call for call in calls if ast.unparse(call.func) in {"CarrierMessage", "self._signals"}]
    return {kind for call in makes for argument in call.args for kind in named(argument)}


def named(node: ast.AST) -> Iterator[MessageKind]:
    for each in ast.walk(node):
        if isinstance(each, ast.Attribute) and ast.unparse(each.value) == "MessageKind":
            yield MessageKind[each.attr]


def by(sender: MessageSender) -> set[MessageKind]:
    return {kind for kind, rule in MESSAGES.items() if sender in rule.senders}


def test_every_kind_is_in_the_table() -> None:
    assert set(MESSAGES) == set(MessageKind)


def test_the_feed_sends_what_the_table_says() -> None:
    assert by(MessageSender.FEED) == sent_by(feed_binding) | TO_OPERATORS


def test_the_stages_send_what_the_table_says() -> None:
    kinds = inspect.get_annotations(OperatorOutput)["kind"]
    assert set(get_args(kinds)) == set(stage._KINDS)
    assert by(MessageSender.SECOND_STAGE) == sent_by(stage) | OF_OUTPUTS
    assert by(MessageSender.FIRST_STAGE) == sent_by(stage) | OF_OUTPUTS | TO_OPERATORS


def test_a_stage_reads_what_the_table_says() -> None:
    source = ast.parse(inspect.getsource(stage.StageProcessor))
    compared = {kind for node in ast.walk(source) if isinstance(node, ast.Compare) for kind in named(node)}
    read = compared | TO_OPERATORS | set(OF_BATCH)
    assert {kind for kind, rule in MESSAGES.items() if rule.first in READ} == read
    assert {kind for kind, rule in MESSAGES.items() if rule.second in READ} == read


@pytest.mark.parametrize("kind", MessageKind)
def test_every_kind_that_is_sent_is_received_and_no_other_kind(kind: MessageKind) -> None:
    rule = MESSAGES[kind]
    assert (rule.first is not StageHandling.NEVER_COMES) is (MessageSender.FEED in rule.senders)
    passed = passes_on(kind, 1, 2) if rule.second is not StageHandling.NEVER_COMES else False
    assert (rule.sink is not SinkAction.NEVER_COMES) is (passed or MessageSender.SECOND_STAGE in rule.senders)


@pytest.mark.parametrize("kind", [kind for kind, rule in MESSAGES.items() if rule.first is StageHandling.NEVER_COMES])
def test_a_kind_that_is_not_allowed_at_a_stage_raises_there(kind: MessageKind) -> None:
    with pytest.raises(StrayMessage, match=f"{kind} came to the first stage"):
        passes_on(kind, 0, 2)
    with pytest.raises(StrayMessage):
        concerns(kind, 0)


@pytest.mark.parametrize("kind", [kind for kind, rule in MESSAGES.items() if rule.sink is SinkAction.NEVER_COMES])
def test_a_kind_that_is_not_allowed_at_the_sink_fails_its_binding(tmp_path: Path, kind: MessageKind) -> None:
    sink = TaskSink(Loop(tmp_path).carrier, 0)
    sink.take(CarrierMessage("a@1", 0, 1, 1, "", "", 0, 0, kind, b""))
    (summary,) = sink.finish()
    assert summary.change is not None
    assert (summary.change.state, summary.change.undo) == ("failed", True)
    assert f"{kind} came to the sink" in (summary.change.detail or "")


def test_the_sink_does_something_for_every_other_kind() -> None:
    source = ast.parse(inspect.getsource(part_files))
    done = {
        node.attr
        for case in ast.walk(source)
        if isinstance(case, ast.match_case)
        for node in ast.walk(case.pattern)
        if isinstance(node, ast.Attribute)
    }
    assert {SinkAction[name] for name in done} == set(SinkAction) - {SinkAction.NEVER_COMES}
    assert {rule.sink for rule in MESSAGES.values()} == set(SinkAction)


def test_a_run_with_a_savepoint_needs_no_message_outside_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that every message that reaches the sink of a carrier with two stages is in the table."""
    came: set[MessageKind] = set()
    take = TaskSink.take

    def noted(sink: TaskSink, row: CarrierMessage) -> None:
        came.add(row.kind)
        take(sink, row)

    monkeypatch.setattr(TaskSink, "take", noted)
    write_readings(tmp_path / "readings.jsonl", 8)
    loop = Loop(tmp_path, stages=2)
    add(loop, spec("a", "readings.jsonl"))
    for _ in range(6):
        loop.batch()
    save(loop)
    loop.run()
    expected = {kind for kind, rule in MESSAGES.items() if rule.sink is not SinkAction.NEVER_COMES}
    assert came == expected - {MessageKind.CORRECTIONS, MessageKind.FAILURES, MessageKind.CLEAR, MessageKind.REPAIR}
