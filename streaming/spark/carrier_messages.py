"""What travels through a carrier: every kind of message, who sends it, what each stage does with it, and what the sink.

Feed, stages and sink go by this table alone. A message of a kind that never comes to where it came is a fault of the
program: it raises, for to drop it would lose rows, or the word that a run has ended.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class MessageKind(StrEnum):
    """The kinds. `CarrierMessage.chunk` holds what each of them says.

    To the operators, as `Envelope` says: `partials`, `events`, `ctis`, `watched`.
    Of the batch: `counts` is a lane's counts as JSON; `late` an Arrow IPC stream of late rows; `failures` where
    expressions failed, `corrections` what windows refused, both as `OperatorOutput` says; `rows` and `moved` what an
    output released: rows, and CTIs.
    Of the run: `state` is a StateChange; `clear`: the binding's state goes after this batch; `repair` names
    one whose rows the batch gives too; `again` and `cut` say of
    all rows of the batch what `BindingWork` and `BindingTurn` call so, and these have it as their `lane`.
    `widen` names the control entry whose state a bucket has, before it goes on with the query of another.
    Of savepoints: `save` asks a bucket for its state and holds the head, `saved` is a piece of one, or the head;
    `enter` is a piece that a bucket begins with, of the stage that `input` names.
    """

    PARTIALS = "partials"
    EVENTS = "events"
    CTIS = "ctis"
    WATCHED = "watched"
    COUNTS = "counts"
    LATE = "late"
    FAILURES = "failures"
    CORRECTIONS = "corrections"
    ROWS = "rows"
    MOVED = "moved"
    STATE = "state"
    CLEAR = "clear"
    REPAIR = "repair"
    AGAIN = "again"
    CUT = "cut"
    SAVE = "save"
    SAVED = "saved"
    ENTER = "enter"
    WIDEN = "widen"


class MessageSender(StrEnum):
    """Who makes messages."""

    FEED = "feed"
    FIRST_STAGE = "first_stage"
    SECOND_STAGE = "second_stage"


class StageHandling(StrEnum):
    """What a stage does with a message that comes to it; the sink is behind the last one.

    `passes`: nothing, it goes on; `reads_and_passes`: both; `reads`: it ends here; `reads_for_both`: it ends here,
    unless a second stage follows, which reads it too; `never_comes`.
    """

    PASSES = "passes"
    READS_AND_PASSES = "reads_and_passes"
    READS = "reads"
    READS_FOR_BOTH = "reads_for_both"
    NEVER_COMES = "never_comes"


class SinkAction(StrEnum):
    """What the sink does with a message."""

    WRITES_RESULTS = "writes_results"
    WRITES_LATE_ROWS = "writes_late_rows"
    NOTES_CTIS = "notes_ctis"
    NOTES_CORRECTIONS = "notes_corrections"
    NOTES_FAILURES = "notes_failures"
    NOTES_COUNTS = "notes_counts"
    NOTES_STATE = "notes_state"
    NOTES_CLEARING = "notes_clearing"
    NOTES_REPAIR = "notes_repair"
    WRITES_SAVEPOINT = "writes_savepoint"
    NEVER_COMES = "never_comes"


@dataclass(frozen=True)
class MessageRule:
    """A row of the table: who sends a kind of message, what first and second stage do with it, and what the sink."""

    senders: frozenset[MessageSender]
    first: StageHandling
    second: StageHandling
    sink: SinkAction

    def at_stage(self, number: int) -> StageHandling:
        """What stage `number` (0 or 1) does with it."""
        return self.second if number else self.first


def _rule(
    senders: str, first: StageHandling, second: StageHandling, sink: SinkAction = SinkAction.NEVER_COMES
) -> MessageRule:
    return MessageRule(frozenset(map(MessageSender, senders.split())), first, second, sink)


_K, _H, _S = MessageKind, StageHandling, SinkAction
MESSAGES: Final[dict[MessageKind, MessageRule]] = {
    _K.PARTIALS: _rule("feed first_stage", _H.READS, _H.READS),
    _K.EVENTS: _rule("feed first_stage", _H.READS, _H.READS),
    _K.CTIS: _rule("feed first_stage", _H.READS, _H.READS),
    _K.WATCHED: _rule("feed first_stage", _H.READS, _H.READS),
    _K.COUNTS: _rule("feed", _H.PASSES, _H.PASSES, _S.NOTES_COUNTS),
    _K.LATE: _rule("feed first_stage second_stage", _H.PASSES, _H.PASSES, _S.WRITES_LATE_ROWS),
    _K.FAILURES: _rule("feed first_stage second_stage", _H.PASSES, _H.PASSES, _S.NOTES_FAILURES),
    _K.CORRECTIONS: _rule("first_stage second_stage", _H.NEVER_COMES, _H.PASSES, _S.NOTES_CORRECTIONS),
    _K.ROWS: _rule("first_stage second_stage", _H.NEVER_COMES, _H.PASSES, _S.WRITES_RESULTS),
    _K.MOVED: _rule("first_stage second_stage", _H.NEVER_COMES, _H.PASSES, _S.NOTES_CTIS),
    _K.STATE: _rule("feed first_stage second_stage", _H.READS_AND_PASSES, _H.READS_AND_PASSES, _S.NOTES_STATE),
    _K.CLEAR: _rule("feed", _H.READS_AND_PASSES, _H.READS_AND_PASSES, _S.NOTES_CLEARING),
    _K.REPAIR: _rule("feed", _H.PASSES, _H.PASSES, _S.NOTES_REPAIR),
    _K.AGAIN: _rule("feed", _H.READS_FOR_BOTH, _H.READS),
    _K.CUT: _rule("feed", _H.READS_FOR_BOTH, _H.READS),
    _K.SAVE: _rule("feed", _H.READS_FOR_BOTH, _H.READS),
    _K.SAVED: _rule("feed first_stage second_stage", _H.PASSES, _H.PASSES, _S.WRITES_SAVEPOINT),
    _K.ENTER: _rule("feed", _H.READS_FOR_BOTH, _H.READS),
    _K.WIDEN: _rule("feed", _H.READS_FOR_BOTH, _H.READS),
}
"""Every kind of message."""
OF_BATCH: Final = (MessageKind.AGAIN, MessageKind.CUT)
"""What is said of all rows of a batch, the stronger word last."""
_PASSED: Final = (StageHandling.PASSES, StageHandling.READS_AND_PASSES)


class StrayMessage(AssertionError):
    """A message came to where its kind never comes: a fault of the program."""

    def __init__(self, kind: MessageKind, where: str) -> None:
        super().__init__(f"a message {kind} came to the {where}")


def handling(kind: MessageKind, stage: int) -> StageHandling:
    """What stage `stage` (0 or 1) does with a message. Raises `StrayMessage`."""
    found = MESSAGES[kind].at_stage(stage)
    if found is StageHandling.NEVER_COMES:
        raise StrayMessage(kind, "second stage" if stage else "first stage")
    return found


def goes_on(kind: MessageKind, stage: int, stages: int) -> bool:
    """Whether stage `stage` of `stages` lets a message go on as it is. Raises `StrayMessage`."""
    found = handling(kind, stage)
    return found in _PASSED or (found is StageHandling.READS_FOR_BOTH and stage + 1 < stages)


def concerns(kind: MessageKind, stage: int) -> bool:
    """Whether stage `stage` reads a message. Raises `StrayMessage`."""
    return handling(kind, stage) is not StageHandling.PASSES
